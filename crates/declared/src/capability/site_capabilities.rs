//! The capabilities that all files of a site declare, each once, with its safety class. Reader and judge
//! both use this, so that nothing is called that is not shown as `read_only_public`.

use std::collections::{BTreeMap, BTreeSet};

use contract::limits::CAPABILITY_ITEMS_MAX;
use contract::records::SafetyClass;

use super::file_capabilities::read_capabilities;
use super::model::Capability;
use super::read_call::ReadCall;
use super::safety::safety_class;
use crate::files::FileKind;

/// A file that declares capabilities.
#[derive(Debug, Clone, Copy)]
pub struct DeclaringFile<'a> {
    pub kind: FileKind,
    /// Its path, or its whole URL if another file led to it.
    pub path: &'a str,
    /// Its URL, after redirects.
    pub url: &'a str,
    pub body: &'a [u8],
}

/// One capability of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassifiedCapability {
    pub capability: Capability,
    pub class: SafetyClass,
    pub kind: FileKind,
    /// The path of the first file that declares it.
    pub declared_in: String,
}

impl ClassifiedCapability {
    /// The request that may check it: only for the class `read_only_public`.
    #[must_use]
    pub fn permitted_call(&self) -> Option<&ReadCall> {
        self.capability.call.as_ref().filter(|_| self.class == SafetyClass::ReadOnlyPublic)
    }
}

/// What all files of a site declare.
#[derive(Debug, Default)]
pub struct SiteCapabilities {
    pub items: Vec<ClassifiedCapability>,
    /// The files that declare more than is read of one file.
    pub cut: Vec<String>,
}

impl SiteCapabilities {
    /// Reads the files of the site at `domain`. What is at or below `token_needed_at` needs a token.
    #[must_use]
    pub fn read<'a>(
        files: impl IntoIterator<Item = DeclaringFile<'a>>,
        token_needed_at: Option<&str>,
        domain: &str,
    ) -> Self {
        let mut found = Self::default();
        let mut index = BTreeMap::new();
        for file in files {
            let declared = read_capabilities(file.kind, file.url, file.body);
            if declared.more {
                found.cut.push(file.path.to_owned());
            }
            for capability in declared.items {
                found.add(capability, file, token_needed_at, domain, &mut index);
            }
        }
        found.distrust_contradictions();
        if found.items.len() > CAPABILITY_ITEMS_MAX {
            // Answers list only so many. What may be called is among them.
            found.items.sort_by_key(|item| item.permitted_call().is_none());
        }
        found
    }

    /// The requests that may check the capabilities that answers list, each once.
    pub fn permitted_calls(&self) -> impl Iterator<Item = &ReadCall> {
        let listed = self.items.iter().take(CAPABILITY_ITEMS_MAX);
        let mut seen = BTreeSet::new();
        listed
            .filter_map(ClassifiedCapability::permitted_call)
            .filter(move |call| seen.insert(call.url.as_str()))
    }

    /// Adds a capability. The same name and endpoint in two files is one capability.
    fn add(
        &mut self,
        capability: Capability,
        file: DeclaringFile<'_>,
        token_needed_at: Option<&str>,
        domain: &str,
        index: &mut BTreeMap<(String, Option<String>), usize>,
    ) {
        let mut class = safety_class(&capability, domain);
        let needs_token = token_needed_at.is_some_and(|address| capability.is_under(address));
        if class == SafetyClass::ReadOnlyPublic && needs_token {
            class = SafetyClass::ReadOnlyAuthenticated;
        }
        let key = (capability.name.clone(), capability.endpoint.clone());
        if let Some(known) = index.get(&key).and_then(|at| self.items.get_mut(*at))
            && known.declared_in != file.path
        {
            // If two files disagree about the class, it is unknown.
            if known.class != class {
                known.class = SafetyClass::Unknown;
            }
            return;
        }
        index.insert(key, self.items.len());
        let declared_in = file.path.to_owned();
        self.items.push(ClassifiedCapability { capability, class, kind: file.kind, declared_in });
    }

    /// Two descriptions of one address that disagree about its class make it unknown, under whichever
    /// names.
    fn distrust_contradictions(&mut self) {
        let mut classes: BTreeMap<String, SafetyClass> = BTreeMap::new();
        for item in &self.items {
            let Some(address) = &item.capability.hints.read_of else { continue };
            let known = classes.entry(address.clone()).or_insert_with(|| item.class.clone());
            if *known != item.class {
                *known = SafetyClass::Unknown;
            }
        }
        for item in &mut self.items {
            let class = item.capability.hints.read_of.as_ref().and_then(|at| classes.get(at));
            if item.class == SafetyClass::ReadOnlyPublic && class != Some(&item.class) {
                item.class = SafetyClass::Unknown;
            }
        }
    }
}

#[cfg(test)]
mod tests;
