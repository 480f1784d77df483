//! Draws figures that `bench … --json` has written as a bar chart. It measures nothing itself.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

use crate::figures::Amount;

/// Pixels of the whole chart, of the labels before the bars, and of the amounts after them.
const WIDTH: f64 = 820.0;
const LABELS: f64 = 340.0;
const AMOUNTS: f64 = 180.0;
const ROW: f64 = 24.0;
const BAR: f64 = 14.0;
const PADDING: f64 = 16.0;

pub struct Options {
    /// The file that `--json` has written.
    input: PathBuf,
    /// The SVG file to write.
    output: PathBuf,
    keys: Vec<String>,
    baselines: Vec<String>,
}

/// Reads `INPUT OUTPUT KEY… [--beside KEY…]`.
pub fn options(arguments: &[String]) -> Option<Options> {
    let [input, output, keys @ ..] = arguments else {
        return None;
    };
    let split = keys.iter().position(|key| key == "--beside");
    let (keys, baselines) = keys.split_at(split.unwrap_or(keys.len()));
    let baselines = baselines.get(1..).unwrap_or_default();
    let are_keys = keys
        .iter()
        .chain(baselines)
        .all(|key| !key.starts_with('-'));
    (!keys.is_empty() && are_keys).then(|| Options {
        input: input.into(),
        output: output.into(),
        keys: keys.to_vec(),
        baselines: baselines.to_vec(),
    })
}

pub fn run(options: &Options) -> ExitCode {
    match draw(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => failed(&why),
    }
}

fn draw(options: &Options) -> Result<(), String> {
    let (input, output) = (&options.input, &options.output);
    let text = fs::read_to_string(input).map_err(|error| about_file(input, &error))?;
    let measured: Value = serde_json::from_str(&text).map_err(|error| about_file(input, &error))?;
    let chart = chart(&measured, &options.keys, &options.baselines)?;
    fs::write(output, chart).map_err(|error| about_file(output, &error))
}

fn about_file(path: &Path, error: &dyn Display) -> String {
    format!("{}: {error}", path.display())
}

#[derive(Clone, Copy)]
enum Kind {
    Measured,
    Baseline,
}

struct Bar {
    label: String,
    amount: Amount,
    at_most: Option<Amount>,
    kind: Kind,
}

fn chart(measured: &Value, keys: &[String], baselines: &[String]) -> Result<String, String> {
    let keys = keys.iter().map(|key| (key, Kind::Measured));
    let baselines = baselines.iter().map(|key| (key, Kind::Baseline));
    let bars = keys
        .chain(baselines)
        .map(|(key, kind)| bar(&measured["figures"], key, kind))
        .collect::<Result<Vec<Bar>, String>>()?;
    let mut units: Vec<&str> = bars.iter().map(|bar| bar.amount.unit()).collect();
    units.dedup();
    if units.len() > 1 {
        return Err(format!("one chart has one unit, not {units:?}"));
    }
    Ok(svg(measured["project"].as_str().unwrap_or_default(), &bars))
}

fn bar(figures: &Value, key: &str, kind: Kind) -> Result<Bar, String> {
    let figure = figures
        .get(key)
        .ok_or_else(|| format!("there is no figure `{key}`"))?;
    let unit = figure["unit"].as_str().unwrap_or_default();
    let amount = |field: &str| Amount::from_json(figure[field].as_f64()?, unit);
    Ok(Bar {
        label: figure["what"].as_str().unwrap_or(key).to_owned(),
        amount: amount("value").ok_or_else(|| format!("`{key}` has no value"))?,
        at_most: amount("at_most"),
        kind,
    })
}

fn svg(project: &str, bars: &[Bar]) -> String {
    let largest = bars
        .iter()
        .map(|bar| bar.amount.number())
        .fold(f64::MIN_POSITIVE, f64::max);
    let start = PADDING + LABELS;
    let room = WIDTH - start - AMOUNTS - PADDING;
    let mut top = PADDING + ROW;
    let mut rows = String::new();
    for bar in bars {
        let width = (bar.amount.number() / largest * room).max(1.0);
        let (end, text_y) = (start + width + 8.0, top + BAR - 2.5);
        let (label, amount) = (escaped(&bar.label), bar.amount.text());
        let bound = bar
            .at_most
            .map(|bound| format!("<tspan class=\"f\">, at most {}</tspan>", bound.text()))
            .unwrap_or_default();
        let class = match bar.kind {
            Kind::Measured => "m",
            Kind::Baseline => "b",
        };
        rows += &format!(
            "<text x=\"{PADDING}\" y=\"{text_y}\">{label}</text>\n\
             <rect class=\"{class}\" x=\"{start}\" y=\"{top}\" width=\"{width:.1}\" height=\"{BAR}\"/>\n\
             <text x=\"{end:.1}\" y=\"{text_y}\">{amount}{bound}</text>\n"
        );
        top += ROW;
    }
    let height = top + PADDING;
    let (project, heading) = (escaped(project), PADDING + BAR - 2.5);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\">\n<title>{project}</title>\n<style>\n\
         text{{font:12px system-ui,sans-serif;fill:#1f2328}}.h{{font-weight:600}}.f{{fill:#656d76}}\n\
         .c{{fill:#fff;stroke:#d0d7de}}.m{{fill:#1f6feb}}.b{{fill:#afb8c1}}\n</style>\n\
         <rect class=\"c\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n\
         <text class=\"h\" x=\"{PADDING}\" y=\"{heading}\">{project}</text>\n{rows}</svg>\n",
        WIDTH - 1.0,
        height - 1.0,
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[expect(
    clippy::print_stderr,
    reason = "what is wrong is said where errors are read"
)]
fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drawn(keys: &[&str], baselines: &[&str]) -> Result<String, String> {
        let figure = |what: &str, value: f64, unit: &str| json!({ "what": what, "value": value, "unit": unit, "at_most": null });
        let measured = json!({
            "project": "a & b",
            "figures": {
                "fast": figure("fast", 0.001, "s"),
                "slow": figure("slow", 0.004, "s"),
                "large": figure("large", 1e6, "B"),
            },
        });
        let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        chart(&measured, &owned(keys), &owned(baselines))
    }

    #[test]
    fn bars_are_in_proportion_and_baselines_are_told_apart() {
        let svg = drawn(&["fast"], &["slow"]).expect("a chart");
        let room = WIDTH - LABELS - AMOUNTS - 2.0 * PADDING;
        for (class, width, amount) in [("m", room / 4.0, "1.0 ms"), ("b", room, "4.0 ms")] {
            let rect = svg
                .lines()
                .find(|line| line.starts_with(&format!("<rect class=\"{class}\"")))
                .expect("a bar");
            assert!(rect.contains(&format!("width=\"{width:.1}\"")), "{rect}");
            assert!(svg.contains(amount), "{svg}");
        }
        assert!(svg.contains("a &amp; b"), "{svg}");
    }

    #[test]
    fn unknown_keys_and_mixed_units_are_refused() {
        assert!(drawn(&["gone"], &[]).is_err());
        assert!(drawn(&["fast", "large"], &[]).is_err());
    }
}
