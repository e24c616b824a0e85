//! One body for four kinds of indexes: `qd_` functions for doubles and `qdf_` for floats, each in two and three dimensions.

/// Each function has an index, which it reads or writes, and other arguments, in which `S` is the coordinate.
macro_rules! stamp {
    ($(fn $name:ident($lent:ident, $index:ident: $access:ident $(, $arg:ident: $type:ty)* $(,)?) $body:block)*) => {
        $(
            #[allow(clippy::too_many_arguments, reason = "as in the header")]
            fn $name<S: $crate::Number, const D: usize>(
                $lent: &$crate::gate::Lent, $index: $crate::stamp::borrow!($access $crate::Index<S, D>), $($arg: $type),*
            ) -> $crate::error::Outcome {
                $body
                Ok(())
            }
        )*
        $crate::stamp::exports! { double f64 "qd_" "an index of doubles expected" D2 D3 $($access $name ($($arg: $type),*))* }
        $crate::stamp::exports! { float f32 "qdf_" "an index of floats expected" F2 F3 $($access $name ($($arg: $type),*))* }
    };
}

macro_rules! borrow {
    (read $($what:tt)*) => { &$($what)* };
    (write $($what:tt)*) => { &mut $($what)* };
}

macro_rules! exports {
    ($module:ident $scalar:ident $prefix:literal $about:literal $flat:ident $solid:ident
        $($access:ident $name:ident ($($arg:ident: $type:ty),*))*) => {
        mod $module {
            #![allow(clippy::wildcard_imports, unused_mut, reason = "types of arguments are imported, some things are only read")]
            use super::*;
            use $crate::gate::gate;

            type S = $scalar;
            $(
                #[unsafe(export_name = concat!($prefix, stringify!($name)))]
                unsafe extern "C" fn $name(index: *const Kept, $($arg: $type),*) -> Status {
                    let body = |lent: &Lent| {
                        let mut thing = lent.$access(index)?;
                        match $crate::stamp::borrow!($access *thing) {
                            Thing::$flat(index) => super::$name(lent, index, $($arg),*),
                            Thing::$solid(index) => super::$name(lent, index, $($arg),*),
                            _ => refuse(Status::BadPointer, $about),
                        }
                    };
                    // SAFETY: the header says what the caller vouches for.
                    unsafe { gate(body) }
                }
            )*
        }
    };
}
pub(crate) use {borrow, exports, stamp};
