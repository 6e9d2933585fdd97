//! Topologies as they are written.

use super::*;

fn fails(text: &str) -> String {
    toml::from_str::<std::collections::HashMap<String, TopologyParameters>>(&format!("topology = {text}"))
        .unwrap_err()
        .to_string()
}

#[test]
fn a_word_and_a_table_say_the_same() {
    assert_eq!(read("\"star\""), TopologyParameters::default());
    assert_eq!(read("{ kind = \"star\" }"), TopologyParameters::Star);
    assert_eq!(read("\"hub\""), read("{ kind = \"hub\" }"));
    let tree = FatTreeParameters { ports: 48, levels: None, routing: FatTreeRouting::ByDestination };
    assert_eq!(read("{ kind = \"fat-tree\", ports = 48 }"), TopologyParameters::FatTree(tree));
}

#[test]
fn what_is_not_known_is_refused() {
    for (wrong, word) in [
        ("\"ring\"", "ring"),
        ("3", "`hub` or `star`"),
        ("{ kind = \"star\", ports = 4 }", "ports"),
        ("{ kind = \"fat-tree\", ports = 4, height = 2 }", "height"),
        ("{ kind = \"torus\" }", "dimensions"),
        ("{ kind = \"dragonfly\", groups = 3, switches_per_group = 2, routing = \"best\" }", "best"),
        ("{ kind = \"links\", links = [{ between = [\"a\"] }] }", "2"),
    ] {
        let text = fails(wrong);
        assert!(text.contains(word), "{wrong}: {text}");
    }
}

#[test]
fn the_schema_knows_words_and_tables() {
    let text = serde_json_of(&schemars::schema_for!(TopologyParameters));
    for word in ["\"star\"", "\"fat-tree\"", "\"hosts_per_switch\"", "\"ugal-global\"", "\"between\""] {
        assert!(text.contains(word), "{word}");
    }
}

fn serde_json_of(schema: &schemars::Schema) -> String {
    schema.as_value().to_string()
}
