//! Values chosen by words.

/// Value that is chosen by a word.
pub trait Choice: Copy + PartialEq + 'static {
    /// Words, as typed and recorded.
    const WORDS: &'static [&'static str];
    /// Values of the words.
    const VALUES: &'static [Self];

    /// Returns the word of the value.
    fn word(self) -> &'static str {
        let place = Self::VALUES.iter().position(|value| *value == self);
        place.and_then(|place| Self::WORDS.get(place)).copied().unwrap_or("?")
    }

    /// Returns the value of `word`.
    fn of(word: &str) -> Option<Self> {
        let place = Self::WORDS.iter().position(|known| *known == word)?;
        Self::VALUES.get(place).copied()
    }
}

/// Implements [`Choice`], and conversion from the arguments of a run.
macro_rules! choices {
    ($type:ty: $($word:literal => $value:expr),+ $(,)?) => {
        impl $crate::params::Choice for $type {
            const WORDS: &'static [&'static str] = &[$($word),+];
            const VALUES: &'static [Self] = &[$($value),+];
        }

        impl $crate::params::FromArg for $type {
            fn from_arg(arg: Option<&$crate::params::Arg>) -> Option<Self> {
                match arg? {
                    $crate::params::Arg::Word(word) => <Self as $crate::params::Choice>::of(word),
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use choices;
