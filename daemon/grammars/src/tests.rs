//! The tables as a build reads them, and the grammars as a process gets them.

use super::{GRAMMARS, by_name, tables};

const PARSER: &str = "\
#define STATE_COUNT 9
#define LARGE_STATE_COUNT 3
#define SYMBOL_COUNT 4

enum ts_symbol_identifiers {
  sym_name = 1,
  anon_sym_COMMA = 2,
  sym_list = 3,
};

static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {
  [STATE(0)] = {
    [ts_builtin_sym_end] = ACTIONS(1),
    [sym_list] = STATE(7),
  },
  [2] = {
    [anon_sym_COMMA] = ACTIONS(65535),
  },
};

static const uint16_t ts_small_parse_table[] = {
  [0] = 2,
    ACTIONS(3), 1,
      sym_name,
    STATE(5), 2,
      anon_sym_COMMA,
      sym_list,
  [8] = 1,
    ACTIONS(9), 1,
      ts_builtin_sym_end,
};

static const uint32_t ts_small_parse_table_map[] = {
";

#[test]
fn tables_are_cut_out_and_read() {
    let parser = tables::parser(PARSER).expect("a parser");
    assert_eq!(parser.large, [1, 0, 0, 7, 0, 0, 0, 0, 0, 0, 65535, 0]);
    assert_eq!(parser.small, [2, 3, 1, 1, 5, 2, 2, 3, 1, 9, 1, 0]);
    assert!(parser.before.ends_with("};\n\n"), "{}", parser.before);
    assert_eq!(parser.between, "\n");
    assert_eq!(
        parser.after,
        "\nstatic const uint32_t ts_small_parse_table_map[] = {\n"
    );
}

#[test]
fn what_is_not_understood_is_a_problem() {
    for (written, instead) in [
        ("STATE(7)", "REDUCE(7)"),
        ("[sym_list] = STATE", "[sym_lost] = STATE"),
        ("[2] = {", "[3] = {"),
        ("[8] = 1", "[7] = 1"),
        ("ACTIONS(65535)", "ACTIONS(65536)"),
        ("sym_name = 1", "sym_name = one"),
        ("#define SYMBOL_COUNT 4", ""),
        ("ts_small_parse_table[]", "ts_tiny_parse_table[]"),
    ] {
        assert_eq!(PARSER.matches(written).count(), 1, "{written}");
        assert!(
            tables::parser(&PARSER.replace(written, instead)).is_err(),
            "{instead}"
        );
    }
}

#[test]
fn every_grammar_is_found_by_its_name_with_its_tables() {
    for grammar in &GRAMMARS {
        let language = by_name(grammar.name).expect("a grammar");
        // A state has a successor only if its tables are there.
        let states = 0..u16::try_from(language.parse_state_count()).expect("a number of states");
        let symbols = 1..u16::try_from(language.node_kind_count()).expect("a number of symbols");
        let goes_on = states.clone().any(|state| {
            symbols
                .clone()
                .any(|symbol| language.next_state(state, symbol) != 0)
        });
        assert!(goes_on, "{}", grammar.name);
    }
    assert!(by_name("nothing").is_none());
}
