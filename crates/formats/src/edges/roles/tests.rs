//! Tests of the choice of columns.

use super::*;

fn roles(names: &str, options: &EdgeListOptions) -> Result<Roles> {
    let column = |name: &str| Column { name: name.to_owned(), kind: ColumnKind::Whole };
    let columns: Vec<Column> = names.split('|').map(column).collect();
    by_name(&columns, options, &Location::file("x"))
}

fn ends(names: &str) -> Option<String> {
    let columns: Vec<&str> = names.split('|').collect();
    let roles = roles(names, &EdgeListOptions::default()).ok()?;
    Some(roles.ends.map(|place| columns[place]).join(" "))
}

#[test]
fn columns_name_themselves_the_ends_of_edges() {
    for (names, expected) in [
        ("edge_id|from_node|to_node", "from_node to_node"),
        ("type|from_id|to_id", "from_id to_id"),
        ("target|source", "source target"),
        ("dst|weight|src", "src dst"),
        ("id|Source Node|Target Node", "Source Node Target Node"),
        (":START_ID(Person)|since|:END_ID(Person)", ":START_ID(Person) :END_ID(Person)"),
        ("sourceId|targetId|label", "sourceId targetId"),
        ("node_from|node_to|x", "node_from node_to"),
        ("fromnodeid|tonodeid", "fromnodeid tonodeid"),
        ("t|origin|destination", "origin destination"),
        ("child|parent", "parent child"),
        ("when|follower_id|followee_id", "follower_id followee_id"),
        ("head|relation|tail", "head tail"),
        ("tail|head", "tail head"),
        ("when|start|end", "start end"),
        ("source|target|start|end", "source target"),
        ("key|u|v", "u v"),
        ("score|node1|node2", "node1 node2"),
        ("combined_score|protein1|protein2", "protein1 protein2"),
        ("when|a|b", "a b"),
        ("~id|~from|~to|~label", "~from ~to"),
        ("Person1Id|Person2Id|creationDate", "Person1Id Person2Id"),
        ("from|dst", "from dst"),
        ("from|to|from_id|to_id", "from to"),
        ("Unnamed: 0|x|y", "x y"),
        ("|p|q", "p q"),
        ("id|p|q", "p q"),
        ("p|q", "p q"),
        ("sender_name|x|recipient_name", "sender_name recipient_name"),
        ("block|from_address|to_address", "from_address to_address"),
        ("src_ip|src_port|dst_ip|dst_port", "src_ip dst_ip"),
        ("country_of_origin|n|country_of_destination", "country_of_origin country_of_destination"),
        ("source|target|source_country|target_country", "source target"),
        ("trip|start_time|end_time|start_station|end_station", "start_station end_station"),
        ("rating|movieId|userId", "userId movieId"),
        ("n|right|left", "left right"),
    ] {
        assert_eq!(ends(names).as_deref(), Some(expected), "{names}");
    }
    for doubtful in ["u|v|from|to", "source|target|source|target", "source|p|q", "sender|receiver|parent|child", "p"] {
        assert_eq!(ends(doubtful), None, "{doubtful}");
    }
}

#[test]
fn a_column_asked_for_is_that_column_or_an_error() {
    let asked = |source: &str| {
        let columns = crate::edges::ColumnNames { source: Some(source.to_owned()), ..Default::default() };
        EdgeListOptions { columns, ..EdgeListOptions::default() }
    };
    assert_eq!(roles("Source|source|target", &asked("source")).unwrap().ends, [1, 2]);
    assert_eq!(roles("Source|source|target", &asked("Source")).unwrap().ends, [0, 2]);
    assert_eq!(roles("Source|target", &asked("SOURCE")).unwrap().ends, [0, 1]);
    for (names, name) in [("Source|source|target", "SOURCE"), ("source|source|target", "source"), ("a|target", "b")] {
        assert_eq!(roles(names, &asked(name)).unwrap_err().exit_code(), 3, "{names} {name}");
    }
    assert!(roles("p|q|r", &asked("p")).unwrap_err().to_string().contains("--target-column"));
}

#[test]
fn weights_are_those_of_the_best_name() {
    let weighted = EdgeListOptions { weighted: true, ..EdgeListOptions::default() };
    for (names, expected) in [
        ("value|source|target|weight", 3),
        ("source|target|value", 2),
        ("id|source|target|km", 3),
        ("u|v|Edge Weight|w", 2),
    ] {
        assert_eq!(roles(names, &weighted).unwrap().weight, Some(expected), "{names}");
    }
    for doubtful in ["source|target|km|lanes", "source|target|Weight|weight"] {
        let error = roles(doubtful, &weighted).unwrap_err().to_string();
        assert!(error.contains("--weight COLUMN"), "{error}");
    }
}
