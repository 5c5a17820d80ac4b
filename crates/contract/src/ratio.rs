//! Fractional numbers, rounded to four decimals so that every implementation writes the same
//! canonical JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

/// Rounded numbers are multiples of 1 / `STEPS`.
const STEPS: f64 = 10_000.0;

/// A share of a whole, 0 to 1, rounded to four decimals. Whole numbers are written `1`, not `1.0`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, ToSchema)]
#[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.6667)]
pub struct Ratio(f64);

impl Ratio {
    pub const ZERO: Self = Self(0.0);
    pub const ONE: Self = Self(1.0);

    /// `n` divided by `of`, at most 1; `None` when `of` is 0.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "rounded to four decimals right after")]
    pub fn of(n: u64, of: u64) -> Option<Self> {
        if of == 0 { None } else { Self::new(n as f64 / of as f64) }
    }

    /// Clamped to 0 to 1 and rounded; `None` for NaN.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        rounded(value, 1.0).map(Self)
    }

    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

/// One amount divided by another, at least 0, rounded to four decimals. 1 means that both are
/// equal.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, ToSchema)]
#[schema(value_type = f64, minimum = 0, example = 1.25)]
pub struct Quotient(f64);

impl Quotient {
    /// Larger values are clamped to this. Below it, four decimals are exact in an `f64`.
    pub const MAX: f64 = 1_000_000.0;

    /// `None` when `reference` is 0.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "rounded to four decimals right after")]
    pub fn of(amount: u64, reference: u64) -> Option<Self> {
        if reference == 0 { None } else { Self::new(amount as f64 / reference as f64) }
    }

    /// Clamped to 0 to [`Quotient::MAX`] and rounded; `None` for NaN.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        rounded(value, Self::MAX).map(Self)
    }

    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

fn rounded(value: f64, max: f64) -> Option<f64> {
    if value.is_nan() {
        return None;
    }
    // `+ 0.0` turns a negative zero into zero.
    Some((value.clamp(0.0, max) * STEPS).round() / STEPS + 0.0)
}

/// Writes whole numbers as integers (`1`), as canonical JSON does.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is whole, not negative and at most a million"
)]
fn write<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 {
        serializer.serialize_u64(value as u64)
    } else {
        serializer.serialize_f64(value)
    }
}

/// Reads the number without rounding, so that a signed record is written back unchanged.
fn read<'de, D: Deserializer<'de>>(deserializer: D, max: f64) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if (0.0..=max).contains(&value) {
        Ok(value + 0.0)
    } else {
        Err(serde::de::Error::custom("the ratio is out of range"))
    }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, 1.0).map(Self)
    }
}

impl Serialize for Quotient {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Quotient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, Self::MAX).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(ratio: Option<Ratio>) -> String {
        serde_json::to_string(&ratio).unwrap()
    }

    #[test]
    fn counts_become_four_decimals_and_whole_numbers_stay_whole() {
        assert_eq!(written(Ratio::of(2, 3)), "0.6667");
        assert_eq!(written(Ratio::of(3, 3)), "1");
        assert_eq!(written(Ratio::of(0, 3)), "0");
        assert_eq!(written(Ratio::of(1, 20_000)), "0.0001");
        assert_eq!(written(Ratio::of(1, 20_001)), "0");
        assert_eq!(written(Ratio::of(0, 0)), "null");
        assert_eq!(serde_json::to_string(&Quotient::of(3, 2)).unwrap(), "1.5");
    }

    #[test]
    fn clamps_and_never_produces_a_number_that_json_cannot_represent() {
        assert_eq!(Ratio::new(7.0), Some(Ratio::ONE));
        assert_eq!(Ratio::new(f64::INFINITY), Some(Ratio::ONE));
        assert_eq!(Ratio::new(f64::NAN), None);
        assert_eq!(written(Ratio::new(-0.0)), "0");
        assert_eq!(written(Ratio::new(-3.0)), "0");
        assert_eq!(serde_json::to_string(&Quotient::new(f64::MAX)).unwrap(), "1000000");
    }

    #[test]
    fn reads_numbers_in_range_and_nothing_else() {
        assert_eq!(serde_json::from_str::<Ratio>("1").unwrap(), Ratio::ONE);
        assert_eq!(serde_json::from_str::<Ratio>("1.0").unwrap(), Ratio::ONE);
        assert_eq!(serde_json::from_str::<Quotient>("2.5").unwrap().get(), 2.5);
        for bad in ["1.01", "-0.1", "\"1\"", "null"] {
            assert!(serde_json::from_str::<Ratio>(bad).is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_ratio_round_trips(value in 0.0_f64..=1.0) {
            let ratio = Ratio::new(value).unwrap();
            let text = serde_json::to_string(&ratio).unwrap();
            proptest::prop_assert!(text.len() <= 6, "{}", text);
            proptest::prop_assert_eq!(serde_json::from_str::<Ratio>(&text).unwrap(), ratio);
        }
    }
}
