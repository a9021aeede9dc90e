//! Columns of a table that hold edges.

use crate::edges::options::EdgeListOptions;
use crate::edges::reader::ReaderContext;
use crate::edges::roles::{Column, ColumnKind, Roles, by_name, vertex_column};
use crate::edges::text::Listing;
use arrow_schema::{DataType, FieldRef, Schema};
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, FileSummary, Location, Result, TimeKind, TimeRule, TimeUnit};

/// Positions, names and types of the columns of a table that hold edges.
#[derive(Clone, Debug)]
pub struct EdgeColumns {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) weight: Option<usize>,
    /// Position of the time, and the rule for reading it.
    pub(super) time: Option<(usize, TimeRule)>,
    kind: IdKind,
    /// Names of the source, the target, the weight and the time.
    names: Vec<String>,
    weight_type: Option<String>,
    notes: Vec<String>,
}

/// Reason why a table has no edges.
#[derive(Debug)]
pub enum ColumnError {
    /// A column is missing.
    Missing(Error),
    /// The type of a column is neither an ID, a weight nor a time type.
    Type(String),
}

impl ColumnError {
    /// Returns the error for the file `table`.
    pub(crate) fn of_file(self, table: &str) -> Error {
        match self {
            Self::Missing(error) => error,
            Self::Type(message) => Error::bad_input(Location::file(table), message),
        }
    }
}

/// Returns a note on the Gephi columns `Source`, `Target` and `Type`, the last of which may mark edges as undirected.
fn undirected_column(columns: &[Column], options: &EdgeListOptions) -> Option<String> {
    let has = |name: &str| columns.iter().any(|column| column.name == name && column.kind.is_id());
    (options.directed != Some(false) && ["Source", "Target", "Type"].into_iter().all(has)).then(|| {
        "the column Type was not read; if it marks edges as undirected, use --undirected to read all of them as undirected"
            .to_owned()
    })
}

impl EdgeColumns {
    /// Returns the requested columns, otherwise those with usual names, otherwise the first remaining ones.
    ///
    /// # Errors
    ///
    /// Returns an error if a column is missing, or if its type is not an ID, weight or time type.
    pub fn find(table: &str, schema: &Schema, options: &EdgeListOptions) -> Result<Self, ColumnError> {
        let column = |field: &FieldRef| Column { name: field.name().clone(), kind: column_kind(field.data_type()) };
        let columns: Vec<Column> = schema.fields().iter().map(column).collect();
        let roles = by_name(&columns, options, &Location::file(table)).map_err(ColumnError::Missing)?;
        let Roles { ends: [source, target], weight, time, .. } = roles;
        let notes = roles.into_notes("").chain(undirected_column(&columns, options)).collect();
        let kind = kind_of(schema, [source, target])?;
        if let Some(column) = weight.filter(|column| !is_number(schema.field(*column).data_type())) {
            return Err(ColumnError::Type(format!("{}, expected numbers as weights", described(schema, column))));
        }
        let time = time.map(|column| Ok((column, time_rule_of(schema, column, options)?))).transpose()?;
        let read = [source, target].into_iter().chain(weight).chain(time.map(|(column, _)| column));
        let names = read.map(|column| schema.field(column).name().clone()).collect();
        let weight_type = weight.map(|column| schema.field(column).data_type().to_string().to_lowercase());
        Ok(Self { source, target, weight, time, kind, names, weight_type, notes })
    }

    /// Returns the columns for the listing that `context` names.
    pub(super) fn of_context(context: &ReaderContext<'_>, table: &str, schema: &Schema) -> Result<Self, ColumnError> {
        match context.listing {
            Listing::Edges => Self::find(table, schema, context.options),
            Listing::Vertices => Self::of_vertices(table, schema),
        }
    }

    /// Returns the ID column (found by its usual names, otherwise the first) as both ends of an edge.
    fn of_vertices(table: &str, schema: &Schema) -> Result<Self, ColumnError> {
        let place = vertex_column(schema.fields().iter().map(|field| field.name().as_str()));
        if schema.fields().is_empty() {
            let message = "found no column, expected an ID column";
            return Err(ColumnError::Missing(Error::bad_input(Location::file(table), message)));
        }
        Ok(Self {
            source: place,
            target: place,
            weight: None,
            time: None,
            kind: kind_of(schema, [place, place])?,
            names: vec![schema.field(place).name().clone()],
            weight_type: None,
            notes: Vec::new(),
        })
    }

    /// Returns the kind of the IDs.
    pub const fn kind(&self) -> IdKind {
        self.kind
    }

    /// Returns the rule for the times, if they are read.
    pub const fn times(&self) -> Option<TimeRule> {
        match self.time {
            Some((_, rule)) => Some(rule),
            None => None,
        }
    }

    /// Returns the names of the source, the target and, if they are read, the weight and the time.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds the columns that are read, and notes on choices, to the summary of a file.
    pub fn account(&self, file: FileSummary) -> FileSummary {
        FileSummary {
            columns: self.names.clone(),
            weights: self.weight_type.clone(),
            notes: self.notes.clone(),
            ..file
        }
    }

    /// Returns the positions of the columns in ascending order.
    pub fn positions(&self) -> Vec<usize> {
        let time = self.time.map(|(column, _)| column);
        let mut positions: Vec<usize> = [self.source, self.target].into_iter().chain(self.weight).chain(time).collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    /// Returns the same columns for a table that has no others.
    pub(super) fn projected(&self) -> Self {
        let positions = self.positions();
        let place = |column: usize| positions.iter().filter(|position| **position < column).count();
        let time = self.time.map(|(column, rule)| (place(column), rule));
        let (source, target, weight) = (place(self.source), place(self.target), self.weight.map(place));
        Self { source, target, weight, time, ..self.clone() }
    }
}

/// Returns the kind of the values of a type.
fn column_kind(data_type: &DataType) -> ColumnKind {
    match id_kind(data_type) {
        Some(IdKind::Integer) => ColumnKind::Whole,
        Some(IdKind::Text) => ColumnKind::Text,
        None if is_number(data_type) => ColumnKind::Number,
        None => ColumnKind::Other,
    }
}

fn described(schema: &Schema, column: usize) -> String {
    let field = schema.field(column);
    format!("column {:?} has the type {}", field.name(), field.data_type())
}

fn kind_of(schema: &Schema, ends: [usize; 2]) -> Result<IdKind, ColumnError> {
    let kind = |column: usize| {
        let found = schema.field(column).data_type();
        // pandas reads integers as floating-point numbers if some are missing.
        let cast = if found.is_floating() { "; remove rows without an ID and cast the column to integers" } else { "" };
        let expected = || format!("{}, expected integers or strings as IDs{cast}", described(schema, column));
        id_kind(found).ok_or_else(|| ColumnError::Type(expected()))
    };
    let [source, target] = ends;
    if kind(source)? == kind(target)? {
        return kind(source);
    }
    let (source, target) = (described(schema, source), described(schema, target));
    Err(ColumnError::Type(format!("{source} and {target}, expected IDs of one type")))
}

/// Returns the kind of the IDs in a column of this type; `None` if the type is not an ID type.
pub(super) fn id_kind(data_type: &DataType) -> Option<IdKind> {
    match data_type {
        kind if kind.is_integer() => Some(IdKind::Integer),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(IdKind::Text),
        DataType::Dictionary(_, values) if !matches!(**values, DataType::Dictionary(..)) => id_kind(values),
        _ => None,
    }
}

/// Returns the rule for reading a time column.
fn time_rule_of(schema: &Schema, column: usize, options: &EdgeListOptions) -> Result<TimeRule, ColumnError> {
    let wrong = |expected: &str| ColumnError::Type(format!("{}, expected {expected}", described(schema, column)));
    let found = time_rule(schema.field(column).data_type(), options.time_unit)
        .ok_or_else(|| wrong("integers, instants or strings as times"))?;
    match options.times {
        Some(expected) if expected.kind != found.kind => Err(wrong(match expected.kind {
            TimeKind::Number => "integers as times",
            TimeKind::Instant => "instants as times",
        })),
        _ => Ok(found),
    }
}

/// Returns the rule for the times in a column of this type; `None` if the type is not a time type. Integers count in
/// `unit` if it is given.
fn time_rule(data_type: &DataType, unit: Option<TimeUnit>) -> Option<TimeRule> {
    let instants = TimeRule { kind: TimeKind::Instant, unit: None };
    match data_type {
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => Some(instants),
        kind if kind.is_integer() => Some(TimeRule::of_numbers(unit)),
        other => (id_kind(other) == Some(IdKind::Text)).then_some(instants),
    }
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_integer()
        || data_type.is_floating()
        || matches!(data_type, DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..))
}
