/* Links the library into a program without Rust's standard library, and runs it. */
int quadrille_works(void);

int main(void) {
    return quadrille_works();
}
