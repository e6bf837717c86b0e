//! A task in words, English or Chinese, and descriptions → those that fit it best, without a model: words, what else they are called, and
//! how seldom they are (BM25).

mod synonyms;
mod words;

use std::collections::{HashMap, HashSet};

pub(crate) use words::is_chinese;
use words::{Word, words};

/// How much the place counts in which a word stands.
const NAME: f64 = 3.0;
const DESCRIPTION: f64 = 1.5;
const DETAIL: f64 = 0.4;

/// How fast more of the same counts less.
const SATURATION: f64 = 1.6;

/// How much more the first word of a task counts, which mostly says what is to be done.
const FIRST: f64 = 1.4;

/// How much a word counts that only means the same.
const SAME_MEANING: f64 = 0.8;

/// The parts of what is ranked.
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) description: String,
    /// Arguments, with what they are for.
    pub(crate) details: String,
}

/// One that fits.
#[derive(Clone, Debug)]
pub(crate) struct Fitting {
    /// Its place among those that were ranked.
    pub(crate) at: usize,
    pub(crate) score: f64,
    /// The words of the task that it knows.
    pub(crate) because: Vec<String>,
    /// How much of the task it knows, from 0 to 1.
    pub(crate) share: f64,
    /// Whether it knows the first word, which mostly says what is to be done.
    pub(crate) knows_first: bool,
}

/// What can be ranked.
pub(crate) struct Ranking {
    /// For each, how much each term counts.
    weights: Vec<HashMap<String, f64>>,
    /// In how many each term stands.
    spread: HashMap<String, usize>,
}

impl Ranking {
    pub(crate) fn new(all: impl Iterator<Item = Described>) -> Self {
        let weights: Vec<_> = all.map(|one| weights(&one)).collect();
        let mut spread = HashMap::new();
        for term in weights.iter().flat_map(HashMap::keys) {
            *spread.entry(term.clone()).or_default() += 1;
        }
        Self { weights, spread }
    }

    /// Returns how much a term says: more where few have it.
    fn rarity(&self, term: &str) -> f64 {
        let (count, having) = (self.count(), self.having(term));
        ((count - having + 0.5) / (having + 0.5) + 1.0).ln()
    }

    #[expect(clippy::cast_precision_loss, reason = "there are few")]
    fn count(&self) -> f64 {
        self.weights.len() as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "there are few")]
    fn having(&self, term: &str) -> f64 {
        self.spread.get(term).copied().unwrap_or_default() as f64
    }

    /// Returns how much a word of a task counts for one of those that are ranked.
    fn value(&self, word: &Word, weights: &HashMap<String, f64>) -> f64 {
        let of = |term: &str, share: f64| {
            let weight = weights.get(term).copied().unwrap_or_default();
            share * self.rarity(term) * weight * (SATURATION + 1.0) / (weight + SATURATION)
        };
        let own = of(&word.stem, 1.0);
        word.meanings.iter().map(|meaning| of(meaning, SAME_MEANING)).fold(own, f64::max)
    }

    /// Tells whether what is ranked is for what a word says, rather than mentions it.
    fn is_about(word: &Word, weights: &HashMap<String, f64>) -> bool {
        let mut terms = std::iter::once(&word.stem).chain(&word.meanings);
        terms.any(|term| weights.get(term).is_some_and(|weight| *weight >= 1.0))
    }

    /// Returns how much a word says, be it known here or not.
    fn weight(&self, word: &Word) -> f64 {
        let terms = std::iter::once(&word.stem).chain(&word.meanings).filter(|term| self.spread.contains_key(*term));
        let known = terms.map(|term| self.rarity(term)).fold(f64::INFINITY, f64::min);
        if known.is_finite() { known } else { UNKNOWN * self.rarity("") }
    }

    /// Returns those that fit, the best first.
    pub(crate) fn fitting(&self, task: &str) -> Vec<Fitting> {
        let mut words = words(task);
        let mut seen = HashSet::new();
        words.retain(|word| seen.insert(word.stem.clone()));
        let whole: f64 = words.iter().map(|word| self.weight(word)).sum();
        let mut fitting: Vec<Fitting> = self
            .weights
            .iter()
            .enumerate()
            .filter_map(|(at, weights)| {
                let values: Vec<f64> = words
                    .iter()
                    .enumerate()
                    .map(|(at, word)| if at == 0 { FIRST } else { 1.0 } * self.value(word, weights))
                    .collect();
                let score: f64 = values.iter().sum();
                let known = || words.iter().zip(&values).filter(|(_, value)| **value > 0.0).map(|(word, _)| word);
                let about = || words.iter().filter(|word| Self::is_about(word, weights));
                let share = about().map(|word| self.weight(word)).sum::<f64>() / whole.max(f64::MIN_POSITIVE);
                let because = known().map(|word| word.written.clone()).collect();
                let knows_first = words.first().is_some_and(|word| Self::is_about(word, weights));
                (score > 0.0).then_some(Fitting { at, score, because, share, knows_first })
            })
            .collect();
        fitting.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
        fitting
    }

    /// Returns the words of a task that mean something and that none of those that are ranked knows.
    pub(crate) fn unknown(&self, task: &str) -> Vec<String> {
        let is_known =
            |word: &Word| std::iter::once(&word.stem).chain(&word.meanings).any(|term| self.spread.contains_key(term));
        words(task).into_iter().filter(|word| !is_known(word)).map(|word| word.written).collect()
    }
}

/// How much a word says that nobody knows, of the most that one can say.
const UNKNOWN: f64 = 0.5;

#[expect(clippy::cast_precision_loss, reason = "there are few")]
fn shared(count: usize) -> f64 {
    (count.max(1) as f64).powf(0.4)
}

fn weights(one: &Described) -> HashMap<String, f64> {
    let mut weights = HashMap::new();
    for (text, weight) in [(&one.name, NAME), (&one.description, DESCRIPTION), (&one.details, DETAIL)] {
        let mut here: HashMap<String, f64> = HashMap::new();
        let words = words(text);
        // One of a few words of a name says more.
        let weight = if weight == NAME { NAME / shared(words.len()) } else { weight };
        for word in words {
            for term in std::iter::once(word.stem).chain(word.meanings) {
                *here.entry(term).or_default() += weight;
            }
        }
        // What is said again in the same place says little more.
        here.into_iter().for_each(|(term, count)| *weights.entry(term).or_default() += count.min(weight * 1.5));
    }
    weights
}
