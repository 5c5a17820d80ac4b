//! Areas that a business serves. Without a map it is not known which place lies in which, so that lists of
//! different places decide nothing.

use std::collections::BTreeSet;

use super::super::normalize::{address::country_code, fold};
use super::WrittenMatch;

const MAX_PLACES: usize = 200;
const KILOMETRES_PER_MILE: f64 = 1.609_344;

pub(super) fn compare_areas(published: &str, stated: &str, _region: Option<&str>) -> WrittenMatch {
    let (one, other) = (read_area(published), read_area(stated));
    if one.places.is_empty() || other.places.is_empty() {
        return WrittenMatch::Undecidable;
    }
    if one.places == other.places {
        return match (one.radius, other.radius) {
            (None, None) => WrittenMatch::Equal,
            (Some(a), Some(b)) if (a - b).abs() <= 0.05 * a.max(b) => WrittenMatch::Equal,
            (Some(_), Some(_)) => WrittenMatch::Different,
            _ => WrittenMatch::Undecidable,
        };
    }
    match (one.country(), other.country()) {
        (Some(a), Some(b)) if a != b => WrittenMatch::Different,
        _ => WrittenMatch::Undecidable,
    }
}

struct ServiceArea {
    places: BTreeSet<String>,
    /// In kilometres.
    radius: Option<f64>,
}

impl ServiceArea {
    /// The country, if the area is one country and nothing else.
    fn country(&self) -> Option<&str> {
        let only = self.places.first().filter(|_| self.places.len() == 1)?;
        only.strip_prefix("country ")
    }
}

fn read_area(text: &str) -> ServiceArea {
    let folded = fold(&super::plain_characters(text));
    let mut radius = None;
    let mut places = BTreeSet::new();
    for part in folded.split([',', ';', '\n', '|', '/', '&', '(', ')', '•', '·']).take(MAX_PLACES)
    {
        for part in part
            .split(" and ")
            .flat_map(|part| part.split(" und "))
            .flat_map(|part| part.split(" et "))
        {
            let mut words: Vec<&str> = part
                .split(|c: char| !c.is_alphanumeric() && c != '.')
                .map(|word| word.trim_matches('.'))
                .filter(|word| !word.is_empty())
                .take(40)
                .collect();
            if let Some(found) = read_radius(&words) {
                radius = Some(found);
                words.retain(|word| {
                    !word.starts_with(|c: char| c.is_ascii_digit()) && unit(word).is_none()
                });
            }
            words.retain(|word| !is_filler(word));
            let place = words.join(" ");
            if place.is_empty() {
                continue;
            }
            let code = country_code(&place);
            let is_country =
                code.len() == 2 && place.len() > 2 || matches!(place.as_str(), "uk" | "us");
            places.insert(if is_country {
                format!("country {}", code.to_uppercase())
            } else {
                place
            });
        }
    }
    ServiceArea { places, radius }
}

/// The kilometres of a number followed by a unit of length.
fn read_radius(words: &[&str]) -> Option<f64> {
    words.iter().zip(words.iter().skip(1).chain([&""])).find_map(|(word, next)| {
        let digits = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let (number, attached) = word.split_at_checked(digits)?;
        let factor = unit(if attached.is_empty() { next } else { attached })?;
        number.parse::<f64>().ok().map(|number| number * factor)
    })
}

fn unit(word: &str) -> Option<f64> {
    match word {
        "km" | "kms" | "kilometer" | "kilometers" | "kilometre" | "kilometres" | "kilometern" => {
            Some(1.0)
        }
        "mi" | "mile" | "miles" => Some(KILOMETRES_PER_MILE),
        _ => None,
    }
}

fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "of"
            | "in"
            | "within"
            | "around"
            | "about"
            | "a"
            | "an"
            | "radius"
            | "we"
            | "serve"
            | "serves"
            | "serving"
            | "service"
            | "area"
            | "areas"
            | "all"
            | "throughout"
            | "across"
            | "from"
            | "our"
            | "im"
            | "umkreis"
            | "von"
            | "um"
            | "rund"
            | "der"
            | "die"
            | "das"
            | "in der"
            | "dans"
            | "un"
            | "rayon"
            | "de"
            | "autour"
            | "la"
            | "le"
            | "les"
            | "en"
            | "up"
            | "to"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use WrittenMatch::{Different, Equal, Undecidable};

    #[test]
    fn areas_are_sets_of_places() {
        for (published, stated, expected) in [
            ("Leeds, Bradford and York", "York, Leeds & Bradford", Equal),
            ("United Kingdom", "UK", Equal),
            ("Germany", "France", Different),
            ("Leeds", "West Yorkshire", Undecidable),
            ("within 20 miles of Leeds", "Leeds (32 km radius)", Equal),
            ("within 20 miles of Leeds", "Leeds, 10 miles", Different),
            ("within 20 miles of Leeds", "Leeds", Undecidable),
            ("", "Leeds", Undecidable),
        ] {
            assert_eq!(compare_areas(published, stated, None), expected, "{published} / {stated}");
            assert_eq!(compare_areas(stated, published, None), expected, "{stated} / {published}");
        }
    }
}
