//! Enums whose values have names.

/// Declares an enum, its values in a list, and the name of each in files and messages.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $kind:ident { $($(#[$doc:meta])* $value:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        $vis enum $kind { $($(#[$doc])* $value,)+ }

        impl $kind {
            /// Every value, in order.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// Its name in files and messages.
            $vis const fn name(self) -> &'static str {
                match self { $(Self::$value => $name),+ }
            }
        }
    };
}
