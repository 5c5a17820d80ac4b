//! Facts about how this binary was built, collected by `build.rs`.

use proof::Digest;
use service::log::builds::BuildFacts;

/// Compiled in, so that it is exactly the file this binary was built with.
const CARGO_LOCK: &[u8] = include_bytes!("../../../Cargo.lock");

pub(crate) fn build_facts() -> BuildFacts {
    let text = |value: Option<&str>| value.map(str::to_owned);
    BuildFacts {
        name: service::PRODUCT.to_owned(),
        target: text(option_env!("BUILT_TARGET")).unwrap_or_else(unknown),
        profile: text(option_env!("BUILT_PROFILE")).unwrap_or_else(unknown),
        rustc: text(option_env!("BUILT_RUSTC")),
        cargo_lock_sha256: Some(Digest::of(CARGO_LOCK).to_hex()),
        commit: text(option_env!("BUILT_COMMIT")),
        clean: option_env!("BUILT_CLEAN").map(|clean| clean == "true"),
        run: text(option_env!("BUILT_RUN")),
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}
