//! Exported functions: the numbers of points come as single parameters, as WebAssembly passes no arrays.

/// Each function takes a world, other numbers, and up to three points.
///
/// # Safety
/// Every `world` is one that `world_new` has returned and `world_free` has not yet taken. The glue sees to that.
macro_rules! export {
    ($($(#[$about:meta])* fn $name:ident($world:ident $(, $arg:ident: $type:ty)* $(; $($point:ident),+)?) $(-> $out:ty)? $body:block)*) => { $(
        $crate::export::points! {
            { $(#[$about])* $name $world ($($arg: $type),*) ($($out)?) $body } $($($point)+)?
        }
    )* };
}

#[cfg(not(feature = "space"))]
macro_rules! points {
    ($rest:tt) => {
        $crate::export::function! { $rest () () }
    };
    ($rest:tt $a:ident) => {
        $crate::export::function! { $rest (x, y) ($a = [x, y];) }
    };
    ($rest:tt $a:ident $b:ident) => {
        $crate::export::function! { $rest (x, y, u, v) ($a = [x, y]; $b = [u, v];) }
    };
    ($rest:tt $a:ident $b:ident $c:ident) => {
        $crate::export::function! { $rest (x, y, u, v, p, q) ($a = [x, y]; $b = [u, v]; $c = [p, q];) }
    };
}

#[cfg(feature = "space")]
macro_rules! points {
    ($rest:tt) => {
        $crate::export::function! { $rest () () }
    };
    ($rest:tt $a:ident) => {
        $crate::export::function! { $rest (x, y, z) ($a = [x, y, z];) }
    };
    ($rest:tt $a:ident $b:ident) => {
        $crate::export::function! { $rest (x, y, z, u, v, w) ($a = [x, y, z]; $b = [u, v, w];) }
    };
    ($rest:tt $a:ident $b:ident $c:ident) => {
        $crate::export::function! { $rest (x, y, z, u, v, w, p, q, r) ($a = [x, y, z]; $b = [u, v, w]; $c = [p, q, r];) }
    };
}

macro_rules! function {
    (
        { $(#[$about:meta])* $name:ident $world:ident ($($arg:ident: $type:ty),*) ($($out:ty)?) $body:block }
        ($($number:ident),*) ($($point:ident = $numbers:expr;)*)
    ) => {
        $(#[$about])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(world: *mut $crate::World $(, $arg: $type)* $(, $number: $crate::S)*) $(-> $out)? {
            // SAFETY: see `export`.
            let $world = unsafe { &mut *world };
            $(let $point = $numbers;)*
            $body
        }
    };
}

pub(crate) use {export, function, points};
