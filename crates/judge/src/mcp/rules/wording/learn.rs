//! Learns the weights: logistic regression, by the sentences of an attack that score highest and all sentences of
//! harmless texts. Deterministic: the order of steps is fixed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Part, parts, scale};
use crate::mcp::rules::folded_text::FoldedText;

const ROUNDS: u32 = 20;
const STEP: f64 = 0.3;
const DECAY: f64 = 0.0003;
/// How much the second sentence of an attack counts, if it scores above zero as well.
const SECOND: f64 = 0.5;
/// How much faster a feature is learnt that is in many attacks and few harmless texts, or the other way round.
const TELLING: f64 = 0.3;
/// Features of fewer texts are chance.
const FEWEST: u32 = 2;
/// Smaller weights are left out of the data.
const SMALLEST: f64 = 0.1;

/// A definition's text, and whether it is an attack.
pub(in crate::mcp::rules) type Example = (String, bool);

/// The features of a part by their numbers.
type Numbers = Vec<usize>;
/// The parts of a text, and whether it is an attack.
type Numbered = (Vec<Numbers>, bool);

struct Learner {
    bias: f64,
    weights: Vec<f64>,
    /// How fast each feature is learnt.
    speeds: Vec<f64>,
}

impl Learner {
    fn new(texts: &[Numbered], features: usize) -> Self {
        let mut counts = vec![(0_u32, 0_u32); features];
        let (mut attacks, mut harmless) = (0_u32, 0_u32);
        for (parts, attack) in texts {
            *(if *attack { &mut attacks } else { &mut harmless }) += 1;
            let features: BTreeSet<usize> = parts.iter().flatten().copied().collect();
            for number in features {
                let (in_attacks, in_harmless) = &mut counts[number];
                *(if *attack { in_attacks } else { in_harmless }) += 1;
            }
        }
        let share = |count: u32, of: u32| (f64::from(count) + 1.0) / (f64::from(of) + 2.0);
        let speed = |(in_attacks, in_harmless): (u32, u32)| {
            if in_attacks + in_harmless < FEWEST {
                return 0.0;
            }
            let ratio = share(in_attacks, attacks) / share(in_harmless, harmless);
            TELLING.mul_add(ratio.ln().abs(), 1.0 - TELLING).powi(2)
        };
        let speeds = counts.into_iter().map(speed).collect();
        Self { bias: 0.0, weights: vec![0.0; features], speeds }
    }

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
            *weight = weight.mul_add(1.0 - DECAY, error * self.speeds[*number] / scale(part.len()));
        }
    }

    fn learn_text(&mut self, (parts, attack): &Numbered, size: f64) {
        if !attack {
            parts.iter().for_each(|part| self.step(part, 0.0, size));
            return;
        }
        let mut scores: Vec<(f64, &Numbers)> =
            parts.iter().map(|part| (self.score(part), part)).collect();
        scores.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        self.step(scores[0].1, 1.0, size);
        if let Some((score, part)) = scores.get(1)
            && *score > 0.0
        {
            self.step(part, 1.0, size * SECOND);
        }
    }
}

/// The weights by feature, with `bias`, rounded to two decimals.
pub(in crate::mcp::rules) fn learn(examples: &[Example]) -> BTreeMap<String, f64> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut number_part = |part: Part| -> Numbers {
        let mut number = |name: String| {
            let next = known.len();
            *known.entry(name).or_insert(next)
        };
        part.features.into_iter().map(&mut number).collect()
    };
    let texts: Vec<Numbered> = examples
        .iter()
        .map(|(text, attack)| {
            let parts = parts(&FoldedText::new(text)).into_iter().map(&mut number_part).collect();
            (parts, *attack)
        })
        .filter(|(parts, _): &Numbered| !parts.is_empty())
        .collect();
    let mut learner = Learner::new(&texts, known.len());
    // The mean of the later rounds depends less on the order than the last one does.
    let (mut sums, mut bias, mut rounds) = (vec![0.0; known.len()], 0.0, 0.0);
    for round in 0..ROUNDS {
        // A fixed shuffle: by a digest of the round and the place.
        let mut order: Vec<([u8; 32], usize)> = (0..texts.len())
            .map(|at| (*proof::sha256(format!("{round} {at}").as_bytes()).as_bytes(), at))
            .collect();
        order.sort_unstable();
        let size = STEP / 0.05_f64.mul_add(f64::from(round), 1.0);
        for (_, at) in order {
            learner.learn_text(&texts[at], size);
        }
        if round >= ROUNDS / 2 {
            rounds += 1.0;
            bias += learner.bias;
            sums.iter_mut().zip(&learner.weights).for_each(|(sum, weight)| *sum += weight);
        }
    }
    let rounded = |sum: f64| (sum / rounds * 100.0).round() / 100.0;
    let mut weights: BTreeMap<String, f64> = known
        .into_iter()
        .map(|(name, number)| (name, rounded(sums[number])))
        .filter(|(_, weight)| weight.abs() >= SMALLEST)
        .collect();
    weights.insert("bias".to_owned(), rounded(bias));
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
