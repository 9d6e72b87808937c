//! Trains after idle times: from their file to their model, back, and in words.

use windlull_link::model::{LightModel, Train};
use windlull_units::{Span, Time};

use crate::convert::{Converter, PathParts};
use crate::document::KeyPlaces;
use crate::file::LightFile;
use crate::problem::{Defect, Problem};
use crate::text::Text;

/// No run reaches further.
const MOST_MS: u64 = 100 * 3_600_000;

impl Converter<'_> {
    /// The trains at `key`.
    pub(crate) fn light(&mut self, key: &str, file: &LightFile) -> Option<LightModel> {
        let trains = match trains(&file.trains) {
            Ok(trains) => trains,
            Err(why) => {
                self.unfit(&format!("{key}.trains"), why);
                return None;
            }
        };
        let (period, last) = (file.period.as_ref().map(|period| period.0), trains.last()?.at);
        if period.is_some_and(|period| Time::ZERO + period <= last) {
            self.unfit(
                &format!("{key}.period"),
                format!("must be longer than {last}, where the last train is"),
            );
            return None;
        }
        Some(LightModel {
            idle_after: file.idle_after.as_ref().map_or(Span::ZERO, |idle| idle.0),
            trains: trains.into(),
            period,
        })
    }
}

fn trains(text: &str) -> Result<Vec<Train>, String> {
    let mut trains: Vec<Train> = Vec::new();
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    for (line, row) in lines.filter(|(_, row)| !row.is_empty()) {
        let numbers: Option<Vec<u64>> = row.split_whitespace().map(milliseconds).collect();
        let numbers = numbers.filter(|numbers| numbers.len() >= 2).ok_or_else(|| {
            format!("line {line}: is not a time and one opportunity or more, in whole milliseconds, as in `0 0 4 9`")
        })?;
        let (at, opportunities) = (Time::ZERO + Span::from_ms(numbers[0]), &numbers[1..]);
        if !opportunities.is_sorted() {
            return Err(format!("line {line}: the opportunities of a train must be in order"));
        }
        match trains.last() {
            None if at > Time::ZERO => return Err(format!("line {line}: the first train must be at 0")),
            Some(before) if at <= before.at => {
                return Err(format!(
                    "line {line}: {at} is not after the train before it, {}",
                    before.at
                ));
            }
            _ => {}
        }
        trains.push(Train {
            at,
            opportunities: opportunities.iter().copied().map(Span::from_ms).collect(),
        });
    }
    if trains.is_empty() {
        return Err("has no trains; give one a line, as in `0 0 4 9`".to_owned());
    }
    Ok(trains)
}

/// `parse` alone would take a plus sign.
fn milliseconds(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|octet| octet.is_ascii_digit());
    text.parse().ok().filter(|ms| digits && *ms <= MOST_MS)
}

/// What of a direction's other keys does not go with its trains.
pub(crate) fn misfits(way: &str, path: &PathParts, places: &KeyPlaces) -> Option<Problem> {
    let why = match (&path.light, &path.rate, &path.service) {
        (Some(_), _, Some(_)) => {
            "does not go with a `service`, which has idle times of its own; leave out one of the two"
        }
        (Some(_), Some(None), None) => "needs a rate that serves what follows, and this one is unlimited",
        _ => return None,
    };
    let tables = [way, "both"].map(|table| format!("{table}.light"));
    let place = tables.iter().find(|key| places.has(key)).unwrap_or(&tables[0]);
    Some(places.problem(place, Defect::Unfit(why.to_owned())))
}

/// Whether the trains come again.
pub(crate) fn repeats(path: &PathParts) -> bool {
    path.light.as_ref().is_some_and(|light| light.period.is_some())
}

/// What a file says of it.
pub(crate) fn file_of(model: &LightModel) -> LightFile {
    let ms = |span: Span| (span.as_ns() / 1_000_000).to_string();
    let line = |train: &Train| {
        let instants = train.opportunities.iter().copied();
        let numbers = std::iter::once(train.at.since(Time::ZERO)).chain(instants).map(ms);
        numbers.collect::<Vec<_>>().join(" ") + "\n"
    };
    LightFile {
        idle_after: (!model.idle_after.is_zero()).then_some(Text(model.idle_after)),
        trains: model.trains.iter().map(line).collect(),
        period: model.period.map(Text),
    }
}

/// What it does, in words.
pub(crate) fn in_words(model: &LightModel) -> String {
    let (trains, idle) = (model.trains.len(), model.idle_after);
    let of = if trains == 1 { "a train" } else { "trains" };
    let opportunities: usize = model.trains.iter().map(|train| train.opportunities.len()).sum();
    format!("after more than {idle} idle {of} of {opportunities} opportunities in all")
}
