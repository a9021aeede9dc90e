//! Parameters of requests, from the query of the address and from JSON.

use super::refusal::Refusal;
use outcrop::{IdBatch, IdKind};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::str::FromStr;

/// Parameter with the IDs of vertices.
const ID: &str = "id";
/// Maximum number of other parameters: more than any endpoint has.
const MOST_NAMED: usize = 16;

/// Values by name, and IDs of vertices.
#[derive(Debug)]
pub(super) struct Parameters {
    /// IDs in their order; `None` if there is no such parameter.
    ids: Option<IdBatch>,
    named: Vec<(String, String)>,
}

impl Parameters {
    pub(super) const fn new() -> Self {
        Self { ids: None, named: Vec::new() }
    }

    /// Adds the parameters of the query of an address.
    pub(super) fn add_query(&mut self, query: &str) -> Result<(), Refusal> {
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            self.begin(&name).map_err(Refusal::bad)?;
            self.push(&name, &value);
        }
        Ok(())
    }

    /// Adds the members of a JSON object.
    pub(super) fn add_json(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        let read = reader.deserialize_map(Members(self)).and_then(|()| reader.end());
        read.map_err(|error| {
            Refusal::bad(format!("the body is invalid: {error}; send a JSON object such as {{\"id\": [1, 2]}}"))
        })
    }

    /// Starts a parameter, of which only IDs can be repeated.
    fn begin(&mut self, name: &str) -> Result<(), String> {
        if name == ID {
            self.ids.get_or_insert_with(|| IdBatch::empty(IdKind::Text));
        } else if self.named.iter().any(|(known, _)| known == name) {
            return Err(format!("parameter `{name}` is given twice; remove one of them"));
        } else if self.named.len() == MOST_NAMED {
            return Err(format!("more than {MOST_NAMED} parameters"));
        }
        Ok(())
    }

    /// Adds a value to the parameter that was started last; commas separate several.
    fn push(&mut self, name: &str, value: &str) {
        match (&mut self.ids, self.named.last_mut()) {
            (Some(ids), _) if name == ID => ids.push_text(value.as_bytes()),
            (_, Some((last, values))) if last == name => values.extend([",", value]),
            _ => self.named.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Refuses parameters that are not in `known`.
    pub(super) fn require_known(&self, path: &str, known: &[&str]) -> Result<(), Refusal> {
        let id = self.ids.iter().map(|_| ID);
        let mut names = self.named.iter().map(|(name, _)| &**name).chain(id);
        let unknown = names.find(|name| !known.contains(name));
        let supported = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        unknown.map_or(Ok(()), |name| {
            Err(Refusal::bad(format!("unknown parameter `{name}`; parameters of {path}: {supported}")))
        })
    }

    /// Returns the value of a parameter.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.named.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// Returns the parsed value of a parameter, or `default`.
    pub(super) fn parsed<T: FromStr>(&self, name: &str, default: T, expected: &str) -> Result<T, Refusal> {
        let refusal = |text| Refusal::bad(format!("`{name}` must be {expected}, not {text:?}"));
        self.text(name).map_or(Ok(default), |text| text.parse().map_err(|_| refusal(text)))
    }

    /// Returns a choice between true and false, by default false.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.text(name).map(str::to_ascii_lowercase).as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(text) => Err(Refusal::bad(format!("`{name}` must be true or false, not {text:?}"))),
        }
    }

    /// Takes the IDs; `None` if there is no such parameter.
    pub(super) const fn some_ids(&mut self) -> Option<IdBatch> {
        self.ids.take()
    }

    /// Takes the IDs.
    pub(super) fn ids(&mut self) -> Result<IdBatch, Refusal> {
        let missing = || Refusal::bad("no vertices given; pass their IDs, such as id=1&id=2");
        self.some_ids().ok_or_else(missing)
    }
}

/// Visitor of a JSON object.
struct Members<'p>(&'p mut Parameters);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            self.0.begin(&name).map_err(A::Error::custom)?;
            map.next_value_seed(Value { name: &name, into: self.0, in_array: false })?;
        }
        Ok(())
    }
}

/// Visitor of the value of a parameter: a scalar or an array of scalars.
struct Value<'p> {
    name: &'p str,
    into: &'p mut Parameters,
    in_array: bool,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "strings, integers, true or false in `{}`", self.name)
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.into.push(self.name, value);
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.visit_str(if value { "true" } else { "false" })
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.visit_str(&value.to_string())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.visit_str(&value.to_string())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        if self.in_array {
            return Err(A::Error::custom(format!("`{}` is an array of arrays", self.name)));
        }
        let Self { name, into, .. } = self;
        let mut is_empty = true;
        while values.next_element_seed(Value { name, into: &mut *into, in_array: true })?.is_some() {
            is_empty = false;
        }
        if is_empty { Err(A::Error::custom(format!("`{name}` is an empty array"))) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Result<Parameters, Refusal> {
        let mut parameters = Parameters::new();
        parameters.add_query(text).map(|()| parameters)
    }

    fn json(text: &str) -> Result<Parameters, Refusal> {
        let mut parameters = Parameters::new();
        parameters.add_json(text.as_bytes()).map(|()| parameters)
    }

    fn ids(mut parameters: Parameters) -> Vec<String> {
        let ids = parameters.ids().unwrap();
        (0..ids.len()).map(|place| String::from_utf8(ids.text(place).to_vec()).unwrap()).collect()
    }

    #[test]
    fn queries_and_json_have_the_same_parameters() {
        for parameters in [
            query("id=1&direction=in&id=a+b%2C%C3%A9&fanouts=10,5&weights=True").unwrap(),
            json(r#"{"id": [1, "a b,é"], "direction": "in", "fanouts": [10, 5], "weights": true}"#).unwrap(),
        ] {
            assert_eq!((parameters.text("direction"), parameters.text("fanouts")), (Some("in"), Some("10,5")));
            assert!(parameters.flag("weights").unwrap() && !parameters.flag("replace").unwrap());
            assert_eq!(parameters.parsed("radius", 7, "an integer").unwrap(), 7);
            assert_eq!(ids(parameters), ["1", "a b,é"]);
        }
        assert_eq!(ids(json(r#"{"id": -3}"#).unwrap()), ["-3"]);
    }

    #[test]
    fn refusals_name_the_parameter() {
        let told = |refused: Result<Parameters, Refusal>| refused.unwrap_err().message;
        assert!(told(query("seed=1&seed=2")).contains("`seed` is given twice"));
        for (body, message) in [
            ("", "send a JSON object"),
            ("[1]", "expected an object"),
            (r#"{"id": 1.5}"#, "expected strings, integers, true or false in `id`"),
            (r#"{"id": [[1]]}"#, "`id` is an array of arrays"),
            (r#"{"id": []}"#, "`id` is an empty array"),
            (r#"{"id": 1, "direction": []}"#, "`direction` is an empty array"),
            (r#"{"id": null}"#, "in `id`"),
            (r#"{"id": {"a": 1}}"#, "in `id`"),
            (r#"{"seed": 1, "seed": 2}"#, "`seed` is given twice"),
            (r#"{"id": 1} 2"#, "trailing characters"),
        ] {
            assert!(told(json(body)).contains(message), "{body}: {}", told(json(body)));
        }
        let parameters = query("radius=x&weights=1").unwrap();
        let known = parameters.require_known("/degree", &["id"]).unwrap_err().message;
        assert_eq!(known, "unknown parameter `radius`; parameters of /degree: id");
        assert!(parameters.parsed("radius", 0, "an integer").unwrap_err().message.contains("an integer, not \"x\""));
        assert!(parameters.flag("weights").unwrap_err().message.contains("true or false, not \"1\""));
        assert!(query("").unwrap().ids().unwrap_err().message.contains("id=1&id=2"));
        let many = (0..17).map(|place| format!("a{place}=1&")).collect::<String>();
        assert!(told(query(many.trim_end_matches('&'))).contains("more than 16 parameters"));
    }
}
