//! A short run of the benchmark `false_alarms`.

pub(crate) mod measure;

#[test]
fn few_scans_accuse_nobody_and_miss_nothing() {
    let found = measure::measure(30, 10);
    println!("{found}");
    assert!(found.accusations.is_empty(), "{found}");
    assert!(found.misses.is_empty(), "{found}");
    assert!(found.unsteady_sites().is_empty(), "{found}");
}
