//! Figures, and how they are shown.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Json,
}

#[derive(Clone, Copy, Debug)]
pub enum Amount {
    Seconds(f64),
    Bytes(u64),
    BytesPerSecond(f64),
    Count(u64),
    PerSecond(f64),
    Ratio(f64),
}

pub struct Figure {
    /// Its name in JSON.
    key: String,
    what: String,
    amount: Amount,
    at_most: Option<Amount>,
    beside: Vec<(String, Amount)>,
}

#[derive(Default)]
pub struct Figures(Vec<Figure>);

impl Figures {
    pub fn add(
        &mut self,
        key: impl Into<String>,
        what: impl Into<String>,
        amount: Amount,
    ) -> &mut Figure {
        self.0.push(Figure {
            key: key.into(),
            what: what.into(),
            amount,
            at_most: None,
            beside: vec![],
        });
        self.0.last_mut().expect("it was just added")
    }

    pub fn all_hold(&self) -> bool {
        self.0.iter().all(Figure::holds)
    }

    pub fn markdown(&self) -> String {
        let mut text = "| what | measured | at most | beside it |\n|---|---|---|---|\n".to_owned();
        for figure in &self.0 {
            let at_most = figure.at_most.map(Amount::text).unwrap_or_default();
            let beside: Vec<_> = figure
                .beside
                .iter()
                .map(|(what, amount)| format!("{what}: {}", amount.text()))
                .collect();
            let (what, measured) = (&figure.what, figure.amount.text());
            text += &format!(
                "| {what} | {measured} | {at_most} | {} |\n",
                beside.join(", ")
            );
        }
        text
    }

    pub fn json(&self) -> Value {
        let figures = self.0.iter().map(|figure| {
            let beside: serde_json::Map<String, Value> = figure
                .beside
                .iter()
                .map(|(what, amount)| (what.clone(), json!(amount.number())))
                .collect();
            let value = json!({
                "what": figure.what,
                "value": figure.amount.number(),
                "unit": figure.amount.unit(),
                "at_most": figure.at_most.map(Amount::number),
                "holds": figure.at_most.map(|_| figure.holds()),
                "beside": beside,
            });
            (figure.key.clone(), value)
        });
        Value::Object(figures.collect())
    }
}

impl Figure {
    pub fn at_most(&mut self, bound: Amount) -> &mut Self {
        self.at_most = Some(bound);
        self
    }

    pub fn beside(&mut self, what: impl Into<String>, amount: Amount) -> &mut Self {
        self.beside.push((what.into(), amount));
        self
    }

    fn holds(&self) -> bool {
        self.at_most
            .is_none_or(|bound| self.amount.number() <= bound.number())
    }
}

impl Amount {
    pub fn number(self) -> f64 {
        match self {
            Self::Seconds(number)
            | Self::BytesPerSecond(number)
            | Self::PerSecond(number)
            | Self::Ratio(number) => number,
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            Self::Bytes(number) | Self::Count(number) => number as f64,
        }
    }

    /// Returns the amount that JSON has as `value` and `unit`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bytes and counts are written from whole numbers"
    )]
    pub fn from_json(value: f64, unit: &str) -> Option<Self> {
        match unit {
            "s" => Some(Self::Seconds(value)),
            "B" => Some(Self::Bytes(value as u64)),
            "B/s" => Some(Self::BytesPerSecond(value)),
            "" => Some(Self::Count(value as u64)),
            "1/s" => Some(Self::PerSecond(value)),
            "ratio" => Some(Self::Ratio(value)),
            _ => None,
        }
    }

    pub fn unit(self) -> &'static str {
        match self {
            Self::Seconds(_) => "s",
            Self::Bytes(_) => "B",
            Self::BytesPerSecond(_) => "B/s",
            Self::Count(_) => "",
            Self::PerSecond(_) => "1/s",
            Self::Ratio(_) => "ratio",
        }
    }

    pub fn text(self) -> String {
        let number = self.number();
        match self {
            Self::Seconds(_) if number < 1.0 => format!("{:.1} ms", number * 1e3),
            Self::Seconds(_) => format!("{number:.2} s"),
            Self::Bytes(_) => format!("{:.1} MB", number / 1e6),
            Self::BytesPerSecond(_) => format!("{:.2} MB/s", number / 1e6),
            Self::Count(count) => count.to_string(),
            Self::PerSecond(_) => format!("{number:.0} /s"),
            Self::Ratio(_) => format!("{number:.2}"),
        }
    }
}
