//! What an experiment claims and draws, checked against what it compares.

use std::ops::RangeInclusive;

use windlull_profile::{Defect, is_name};
use windlull_units::Span;

use super::{Compared, Loader, one_for_each};
use crate::evidence::Claim;
use crate::file::{ClaimFile, FigureFile, Relation};

/// How many flows one plot shows: as many as have metrics of their own.
const DRAWN_FLOWS: RangeInclusive<u32> = 2..=16;

impl Loader<'_> {
    /// The claims. `variants` and `links` are what a claim may name; none: not all of them are known, and none is checked.
    pub(super) fn claims(
        &mut self,
        files: Vec<ClaimFile>,
        variants: Option<&[String]>,
        links: Option<&[String]>,
    ) -> Vec<Claim> {
        let mut claims: Vec<Claim> = Vec::new();
        for (i, file) in files.into_iter().enumerate() {
            let key = |name: &str| format!("claim[{i}].{name}");
            if let Some(first) = claims.iter().position(|known| known.id == file.id) {
                let (name, first) = (file.id.clone(), format!("claim[{first}]"));
                self.problem(&key("id"), Defect::Duplicate { name, first });
            }
            if !is_name(&file.id) {
                self.unfit(
                    &key("id"),
                    "must be lower-case letters, digits and hyphens, as in `frto-faster`",
                );
            }
            self.metric(&key("metric"), &file.metric);
            if let Some(per) = &file.per {
                self.metric(&key("per"), per);
            }
            for (name, link) in [("link", &file.link), ("right_link", &file.right_link)] {
                if let Some(link) = link {
                    self.variant(&key(name), link, links);
                }
            }
            self.variant(&key("left"), &file.left, variants);
            if let Some(right) = &file.right {
                self.variant(&key("right"), right, variants);
            }
            if file.each.is_some() {
                self.unfit(&key("each"), "stands in another `each`; write these claims beside it");
            }
            self.sides(&file, &key);
            claims.push(Claim {
                id: file.id,
                text: file.text,
                metric: file.metric,
                per: file.per,
                statistic: file.statistic.unwrap_or_default(),
                link: file.link,
                left: file.left,
                relation: file.relation,
                right: file.right,
                right_link: file.right_link,
                value: file.value,
                factor: file.factor.unwrap_or(1.0),
                tolerance: file.tolerance.map(|tolerance| tolerance.0.0),
                note: file.note,
            });
        }
        claims
    }

    /// Whether what a claim compares goes together.
    fn sides(&mut self, file: &ClaimFile, key: &dyn Fn(&str) -> String) {
        match (&file.right, file.value) {
            (Some(_), Some(_)) => self.unfit(&key("value"), "`right` stands there too; give one of the two"),
            (None, None) => {
                self.missing(&key("right"), "a variant, or a number as `value`");
            }
            (None, Some(_)) => {
                let goes_with_a_variant = [
                    ("factor", file.factor.is_some()),
                    ("right_link", file.right_link.is_some()),
                ];
                for (name, _) in goes_with_a_variant.into_iter().filter(|(_, given)| *given) {
                    self.unfit(&key(name), "goes with `right`, not with `value`; leave it out");
                }
                if file.relation == Relation::Alike {
                    self.unfit(&key("value"), "does not go with `~`; name a variant as `right`");
                }
            }
            (Some(_), None) => {}
        }
        if file.right_link.is_some() && file.link.is_none() {
            self.unfit(
                &key("right_link"),
                "goes with `link`, which says where the left side is from",
            );
        }
        match (file.relation, file.factor, file.tolerance) {
            (Relation::Within, Some(_), _) => self.unfit(&key("factor"), "does not go with `within`; leave it out"),
            (Relation::Within, None, None) => {
                self.missing(&key("tolerance"), "`within` needs it, as in `tolerance = \"5 %\"`");
            }
            (Relation::Within, None, Some(_)) | (_, _, None) => {}
            (_, _, Some(_)) => self.unfit(&key("tolerance"), "goes with `within` alone; leave it out"),
        }
    }

    /// The figures: the one, or the several.
    pub(super) fn figures(
        &mut self,
        one: Option<FigureFile>,
        several: Option<Vec<FigureFile>>,
        compared: &Compared<'_>,
    ) -> Vec<FigureFile> {
        if one.is_some() && several.is_some() {
            self.unfit("figures", "`figure` stands there too; give one of the two");
        }
        if let Some(figure) = &one {
            self.figure("figure", figure, compared);
        }
        for (i, figure) in several.iter().flatten().enumerate() {
            self.figure(&format!("figures[{i}]"), figure, compared);
        }
        one.into_iter().chain(several.into_iter().flatten()).collect()
    }

    /// What is wrong with the figure that stands at `place`.
    fn figure(&mut self, place: &str, figure: &FigureFile, compared: &Compared<'_>) {
        let key = |name: &str| format!("{place}.{name}");
        match figure {
            FigureFile::BoxPlot { metric, .. } => self.metric(&key("metric"), metric),
            FigureFile::Curve { metric, at, .. } => {
                self.metric(&key("metric"), metric);
                if let Some(links) = compared.links.filter(|links| links.len() != at.len()) {
                    self.unfit(&key("at"), one_for_each(at.len(), links.len(), "link"));
                }
            }
            FigureFile::Bandwidth { bin, .. } if bin.0.as_ns() % Span::from_secs(1).as_ns() != 0 => {
                let why = format!("{} is no whole number of seconds, in which runs are counted", bin.0);
                self.unfit(&key("bin"), why);
            }
            FigureFile::Conversations => {
                let flows = compared.flows.iter();
                if let Some(flows) = flows.copied().find(|flows| !DRAWN_FLOWS.contains(flows)) {
                    let (least, most) = (DRAWN_FLOWS.start(), DRAWN_FLOWS.end());
                    let why = format!("`conversations` draws {least} to {most} flows; there is a run of {flows}");
                    self.unfit(&key("kind"), why);
                }
            }
            FigureFile::TimeSequence | FigureFile::Timer | FigureFile::RoundTrips | FigureFile::Bandwidth { .. } => {}
        }
    }
}
