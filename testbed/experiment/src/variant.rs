//! A variant file: found, read, laid over what it extends, and made into a TCP's variant.

use std::path::PathBuf;

use windlull_profile::{Defect, Document, Kind, Library, Located, Places, Problem, Problems, asked};
use windlull_tcp::{DelayedAck, Variant, VariantError};

use crate::file::{Named, SettingsFile, VariantFile};

/// A valid variant with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantProfile {
    /// Its name in the library.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What it is, in a line.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// Where it is defined.
    pub source: Option<String>,
    /// What it does.
    pub variant: Variant,
}

impl VariantProfile {
    /// Loads a variant by its name or path.
    ///
    /// # Errors
    /// All that is wrong with its file and with those it extends, and a contradiction between its choices.
    pub fn load(library: &Library, name: &str) -> Result<Self, Problems> {
        Self::load_from(library, &library.locate(Kind::Variant, name, None, &asked)?)
    }

    /// Loads a variant that was located already.
    ///
    /// # Errors
    /// As [`VariantProfile::load`].
    pub fn load_from(library: &Library, located: &Located) -> Result<Self, Problems> {
        let (file, places) = read(library, located, &mut Vec::new())?;
        let mut variant = Variant::default();
        if let Some(Named(recovery)) = file.recovery {
            variant.recovery = recovery;
        }
        if let Some(Named(detection)) = file.detection {
            variant.detection = detection;
        }
        if let Some(Named(response)) = file.response {
            variant.response = response;
        }
        file.settings.apply(&mut variant);
        variant.validate().map_err(|error| {
            let (key, other) = error.keys();
            let key = [Some(key), other]
                .into_iter()
                .flatten()
                .find(|key| places.has(key))
                .unwrap_or(key);
            places.problem(key, Defect::Unfit(error.to_string()))
        })?;
        Ok(Self {
            name: located.name.clone(),
            path: located.path.clone(),
            title: file.title,
            description: file.description,
            source: file.source,
            variant,
        })
    }

    /// The same variant with `settings` laid over it.
    ///
    /// # Errors
    /// If the settings contradict the variant.
    pub fn with(&self, settings: &SettingsFile) -> Result<Self, VariantError> {
        let mut changed = self.clone();
        settings.apply(&mut changed.variant);
        changed.variant.validate()?;
        Ok(changed)
    }

    /// What the variant does, in lines for people.
    pub fn summary(&self) -> Vec<String> {
        let variant = &self.variant;
        let word = |on: bool| if on { "on" } else { "off" };
        let burst = variant
            .burst_limit
            .map_or("no burst limit".to_owned(), |n| format!("at most {n} segments an ACK"));
        let delayed = match variant.delayed_ack {
            DelayedAck::None => "every segment acknowledged".to_owned(),
            DelayedAck::EverySecond { timer } => format!("every second segment acknowledged, or after {timer}"),
        };
        let timer = &variant.timer;
        vec![
            format!(
                "recovery {}, detection {}, response {}",
                variant.recovery, variant.detection, variant.response
            ),
            format!(
                "MSS {} B, SACK {}, D-SACK {}, timestamps {} (echo {}), window scale {}",
                variant.mss,
                word(variant.sack),
                word(variant.dsack),
                word(variant.timestamps),
                variant.timestamp_echo,
                word(variant.window_scale)
            ),
            format!(
                "initial window {} segments, limited transmit {}, {burst}",
                variant.initial_window,
                word(variant.limited_transmit)
            ),
            format!("receive window {}, {delayed}", variant.receive_window),
            format!(
                "timer {}: {} at first, from {} to {}, clock tick {}",
                timer.estimator, timer.initial_rto, timer.minimum_rto, timer.maximum_rto, timer.granularity
            ),
        ]
    }

    /// The variant as one file without `extends` or defaults: reading it gives the same variant.
    pub fn resolved(&self) -> VariantFile {
        VariantFile {
            title: self.title.clone(),
            description: self.description.clone(),
            source: self.source.clone(),
            extends: None,
            recovery: Some(Named(self.variant.recovery)),
            detection: Some(Named(self.variant.detection)),
            response: Some(Named(self.variant.response)),
            settings: SettingsFile::of(&self.variant),
        }
    }
}

/// A file laid over what it extends.
fn read(library: &Library, located: &Located, chain: &mut Vec<PathBuf>) -> Result<(VariantFile, Places), Problems> {
    let file = located.path.display().to_string();
    let text = library.text(&file, None, &asked)?;
    let Document {
        value: mut written,
        places,
    } = Document::<VariantFile>::read(&file, &text)?;
    chain.push(located.path.clone());
    if let Some(name) = &written.extends {
        let asker = |defect| -> Problem { places.problem("extends", defect) };
        let base = library.locate(Kind::Variant, name, Some(&located.path), &asker)?;
        if let Some(begin) = chain.iter().position(|path| *path == base.path) {
            let cycle = chain[begin..]
                .iter()
                .chain([&base.path])
                .map(|path| path.display().to_string());
            return Err(asker(Defect::Cycle(cycle.collect())).into());
        }
        library.text(&base.path.display().to_string(), None, &asker)?;
        let (base, _) = read(library, &base, chain)?;
        written.recovery = written.recovery.or(base.recovery);
        written.detection = written.detection.or(base.detection);
        written.response = written.response.or(base.response);
        written.description = written.description.or(base.description);
        written.source = written.source.or(base.source);
        written.settings = written.settings.over(base.settings);
    }
    Ok((written, places))
}
