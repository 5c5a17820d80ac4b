//! Learns the weights: logistic regression, by the sentence of an attack that scores highest and all
//! sentences of harmless texts. Deterministic: the order of steps is fixed.

use std::collections::{BTreeMap, HashMap};

use super::{Part, parts, scale};
use crate::mcp::rules::folded_text::FoldedText;

const ROUNDS: u32 = 20;
const STEP: f64 = 0.3;
const DECAY: f64 = 0.0006;
/// Smaller weights are left out of the data.
const SMALLEST: f64 = 0.05;

/// A definition's text, and whether it is an attack.
pub(in crate::mcp::rules) type Example = (String, bool);

/// The features of a part by their numbers.
type Numbers = Vec<usize>;

#[derive(Default)]
struct Learner {
    bias: f64,
    weights: Vec<f64>,
}

impl Learner {
    fn score(&self, part: &Numbers) -> f64 {
        let sum: f64 = part.iter().map(|number| self.weights[*number]).sum();
        self.bias + sum / scale(part.len())
    }

    fn step(&mut self, part: &Numbers, wanted: f64, size: f64) {
        let is = 1.0 / (1.0 + (-self.score(part).clamp(-30.0, 30.0)).exp());
        let error = (wanted - is) * size;
        self.bias += error * 0.1;
        for number in part {
            let weight = &mut self.weights[*number];
            *weight = weight.mul_add(1.0 - DECAY, error / scale(part.len()));
        }
    }
}

/// The weights by feature, with `bias`, rounded to three decimals.
pub(in crate::mcp::rules) fn learn(examples: &[Example]) -> BTreeMap<String, f64> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut number_part = |part: Part| -> Numbers {
        let mut number = |name: String| {
            let next = known.len();
            *known.entry(name).or_insert(next)
        };
        part.features.into_iter().map(&mut number).collect()
    };
    let mut texts: Vec<(Vec<Numbers>, bool)> = examples
        .iter()
        .map(|(text, attack)| {
            let parts = parts(&FoldedText::new(text)).into_iter().map(&mut number_part).collect();
            (parts, *attack)
        })
        .filter(|(parts, _): &(Vec<Numbers>, bool)| !parts.is_empty())
        .collect();
    let mut learner = Learner { bias: 0.0, weights: vec![0.0; known.len()] };
    for round in 0..ROUNDS {
        // A fixed shuffle: by a digest of the round and the place.
        let mut order: Vec<(String, usize)> = (0..texts.len())
            .map(|at| (proof::sha256(format!("{round} {at}").as_bytes()).to_hex(), at))
            .collect();
        order.sort();
        let size = STEP / 0.05_f64.mul_add(f64::from(round), 1.0);
        for (_, at) in order {
            let (parts, attack) = &mut texts[at];
            if *attack {
                parts.sort_by(|a, b| learner.score(b).total_cmp(&learner.score(a)));
                learner.step(&parts[0], 1.0, size);
            } else {
                for part in parts.iter() {
                    learner.step(part, 0.0, size);
                }
            }
        }
    }
    let mut weights: BTreeMap<String, f64> = known
        .into_iter()
        .map(|(name, number)| (name, learner.weights[number]))
        .filter(|(_, weight)| weight.abs() >= SMALLEST)
        .map(|(name, weight)| (name, (weight * 1000.0).round() / 1000.0))
        .collect();
    weights.insert("bias".to_owned(), (learner.bias * 1000.0).round() / 1000.0);
    weights
}

/// The highest score of a text with given weights.
pub(in crate::mcp::rules) fn score_with(weights: &BTreeMap<String, f64>, text: &str) -> f64 {
    parts(&FoldedText::new(text))
        .iter()
        .map(|part| {
            let sum: f64 = part.features.iter().filter_map(|name| weights.get(name)).sum();
            weights.get("bias").copied().unwrap_or_default() + sum / scale(part.features.len())
        })
        .fold(f64::NEG_INFINITY, f64::max)
}
