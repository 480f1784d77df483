//! Functions that are told apart by the number of their parameters, delegates, and macros of used modules, in Elixir.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::{Files, Graph, SymbolId};
use crate::graph::Resolution;
use crate::source::cancel::CancelToken;

const UTIL: &str = "defmodule Acme.Util do
  def write(x, :raw), do: x
  def write(x, opts), do: priv(x, opts)
  def write(x), do: write(x, [])
  defp priv(x, y \\\\ 1)
  defp priv(x, _), do: x
end
";

const APP: &str = "defmodule Acme.App do
  def run(x), do: Acme.Util.write(x, [])
  def low(x), do: Acme.Util.write(x)
  def pipe(x), do: x |> Acme.Util.write([])
  def lost(x), do: Acme.Util.write(x, 1, 2)
  def open(x), do: Acme.Util.write x
  defdelegate write(x), to: Acme.Util
  defdelegate print(x, y), to: Acme.Util, as: :write
end
";

fn symbol_at(graph: &Graph<'_>, file: u32, line: u32) -> SymbolId {
    let symbols = &graph.file(file).outline.symbols;
    let found = symbols.iter().position(|symbol| symbol.name_line == line);
    let symbol = u32::try_from(found.expect("defined")).expect("few");
    SymbolId { file, symbol }
}

/// Returns the callers of a symbol, by their names and the certainty of their calls.
fn callers(graph: &Graph<'_>, of: SymbolId) -> Vec<(String, Resolution)> {
    let found = graph.calls().callers(&[of], &CancelToken::default());
    let named = |at: SymbolId| graph.file(at.file).qualified(graph.symbol(at));
    let found = found.expect("not cancelled");
    let found = found
        .iter()
        .map(|call| (call.symbol.map_or(String::new(), named), call.resolution));
    found.collect()
}

#[test]
fn functions_with_other_numbers_of_parameters_are_other_functions() {
    let files = Files::new("elixir", &[("app.ex", APP), ("util.ex", UTIL)]);
    let graph = Graph::new(&files.snapshot, &files);
    let sure = |name: &str| (name.to_owned(), Resolution::Resolved);
    let unsure = ("Acme.App.open".to_owned(), Resolution::Ambiguous);
    let of_two = [
        sure("Acme.App.run"),
        sure("Acme.App.pipe"),
        unsure.clone(),
        sure("Acme.App.print"),
        sure("Acme.Util.write"),
    ];
    for line in [2, 3] {
        assert_eq!(callers(&graph, symbol_at(&graph, 1, line)), of_two);
    }
    let of_one = [sure("Acme.App.low"), unsure, sure("Acme.App.write")];
    assert_eq!(callers(&graph, symbol_at(&graph, 1, 4)), of_one);
}

#[test]
fn a_function_calls_what_all_of_its_clauses_call() {
    let files = Files::new("elixir", &[("util.ex", UTIL)]);
    let graph = Graph::new(&files.snapshot, &files);
    for (line, expected) in [(2, 5), (3, 5), (4, 2)] {
        let found = graph.calls().callees(symbol_at(&graph, 0, line)).calls;
        let lines: Vec<u32> = found
            .iter()
            .filter_map(|call| Some(graph.symbol(call.symbol?).name_line))
            .collect();
        assert_eq!(lines, [expected], "{line}");
    }
    let found = callers(&graph, symbol_at(&graph, 0, 6));
    assert_eq!(
        found,
        [("Acme.Util.write".to_owned(), Resolution::Resolved)]
    );
    let definition = graph.entities().definition(symbol_at(&graph, 0, 6));
    assert_eq!(graph.symbol(definition).name_line, 5);
}

#[test]
fn the_use_of_a_module_runs_its_macro() {
    let web = "defmodule Acme.Web do
  defmacro __using__(which) do
    which
  end
  def __using__, do: 1
end
";
    let page = "defmodule Acme.Page do
  use Acme.Web, :page
  alias Acme.Web
end
defmodule Acme.Part do
  alias Acme.Web
  use Web
end
";
    let files = Files::new("elixir", &[("page.ex", page), ("web.ex", web)]);
    let graph = Graph::new(&files.snapshot, &files);
    let target = symbol_at(&graph, 1, 2);
    assert_eq!(graph.symbol(target).kind, SymbolKind::Macro);
    let found = graph.references().to(target, &CancelToken::default());
    let lines: Vec<u32> = found
        .expect("not cancelled")
        .iter()
        .map(|one| one.row.line)
        .collect();
    assert_eq!(lines, [2, 7]);
}
