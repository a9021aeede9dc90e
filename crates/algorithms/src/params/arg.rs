//! Values of parameters, given or default.

use super::given::{InputVector, Personalization};
use std::path::PathBuf;

/// Value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// Text as typed; parsed when the parameter is set.
    Text(String),
    /// A boolean.
    Flag(bool),
    /// An integer.
    Count(u64),
    /// A number.
    Number(f64),
    /// Automatic choice instead of a number.
    Auto,
    /// Word from a fixed set.
    Word(&'static str),
    /// Original IDs.
    Ids(Vec<String>),
    /// Weights of vertices.
    NodeWeights(Personalization),
    /// Values of vertices.
    Vector(InputVector),
    /// A file.
    File(PathBuf),
}

macro_rules! arg_from {
    ($($type:ty => |$value:ident| $arg:expr;)+) => {$(
        impl From<$type> for Arg {
            fn from($value: $type) -> Self {
                $arg
            }
        }
    )+};
}

arg_from! {
    &str => |text| Self::Text(text.to_owned());
    String => |text| Self::Text(text);
    bool => |flag| Self::Flag(flag);
    u32 => |count| Self::Count(count.into());
    u64 => |count| Self::Count(count);
    f64 => |number| Self::Number(number);
    Vec<String> => |ids| Self::Ids(ids);
    &[&str] => |ids| Self::Ids(ids.iter().copied().map(str::to_owned).collect());
    Personalization => |weights| Self::NodeWeights(weights);
    InputVector => |vector| Self::Vector(vector);
    PathBuf => |file| Self::File(file);
}

/// Type that parameter values can be converted to.
pub trait FromArg: Sized {
    /// Returns the value; `None` if `arg` has another type, or if it is absent but required.
    fn from_arg(arg: Option<&Arg>) -> Option<Self>;
}

macro_rules! read_as {
    ($($type:ty, $pattern:pat => $value:expr;)+) => {$(
        impl FromArg for $type {
            fn from_arg(arg: Option<&Arg>) -> Option<Self> {
                match arg? {
                    $pattern => $value,
                    _ => None,
                }
            }
        }
    )+};
}

read_as! {
    bool, Arg::Flag(flag) => Some(*flag);
    u32, Arg::Count(count) => u32::try_from(*count).ok();
    u64, Arg::Count(count) => Some(*count);
    f64, Arg::Number(number) => Some(*number);
    String, Arg::Text(text) => Some(text.clone());
    Personalization, Arg::NodeWeights(weights) => Some(weights.clone());
    InputVector, Arg::Vector(vector) => Some(vector.clone());
    PathBuf, Arg::File(file) => Some(file.clone());
}

impl FromArg for Vec<String> {
    fn from_arg(arg: Option<&Arg>) -> Option<Self> {
        match arg {
            None => Some(Self::new()),
            Some(Arg::Ids(ids)) => Some(ids.clone()),
            Some(_) => None,
        }
    }
}

impl<T: FromArg> FromArg for Option<T> {
    fn from_arg(arg: Option<&Arg>) -> Option<Self> {
        match arg {
            None => Some(None),
            Some(_) => T::from_arg(arg).map(Some),
        }
    }
}
