//! Where a record is sealed: by its digest, its id, or its day.

use contract::Day;
use contract::records::{ScanRecord, Seal, SealLeaf, SealState, SearchedDays};
use proof::seal::DayTree;
use proof::{Digest, KeyPurpose, SignedDocument};
use store::{Anchor, AnchorStage, KeptSeal, Visibility};

use super::day::sealed_from;
use super::streams::record_digest;
use super::{DaySealError, words};
use crate::Service;

/// What is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SealAsk {
    Digest(Digest),
    /// Of a report.
    Id(String),
    Day(Day),
}

/// The signed answer.
#[derive(Debug, Clone)]
pub struct SealAnswer {
    pub document: SignedDocument,
    /// Whether a copy stays right: sealed, and a timestamp confirmed.
    pub settled: bool,
}

/// What is known of something.
enum Standing {
    Sealed { seal: KeptSeal, digest: Option<Digest> },
    Pending { day: Day, digest: Option<Digest> },
    NotFound { digest: Option<Digest> },
}

impl Service {
    /// What is known of the seal of a record or a day. That nothing is known is an answer too, and
    /// signed: it names the days that were searched.
    pub async fn seal_lookup(&self, ask: &SealAsk) -> Result<SealAnswer, DaySealError> {
        let standing = self.standing(ask).await?;
        let mut answer = self.blank();
        let mut settled = false;
        match standing {
            Standing::Sealed { seal, digest } => {
                let anchors = self.store.anchors(seal.day).await?;
                settled = anchors.iter().any(|anchor| anchor.stage == AnchorStage::Verified);
                self.tell_sealed(&mut answer, seal, digest, &anchors).await?;
            }
            Standing::Pending { day, digest } => {
                answer.subject_sha256 = digest.map(|digest| digest.to_hex());
                answer.day = Some(day);
                answer.state = SealState::Pending;
                answer.sealed_from = Some(sealed_from(day));
            }
            Standing::NotFound { digest } => {
                answer.subject_sha256 = digest.map(|digest| digest.to_hex());
                let newest = self.store.seals(None, 1).await?;
                answer.searched = Some(SearchedDays {
                    from: self.store.first_sealed_day().await?,
                    to: newest.first().map(|row| row.day),
                });
            }
        }
        let document = self.sign_document(&answer, KeyPurpose::Documents)?;
        Ok(SealAnswer { document, settled })
    }

    /// What `proof.anchored` of a report says.
    pub(crate) async fn anchored(&self, record: &ScanRecord) -> Result<String, store::StoreError> {
        let Some(id) = record.id.clone() else {
            return Ok("nothing answered, so nothing was kept or sealed".to_owned());
        };
        let standing = match self.standing(&SealAsk::Id(id)).await {
            Ok(standing) => standing,
            Err(DaySealError::Store(error)) => return Err(error),
            Err(error) => {
                tracing::error!(%error, "the seal of a record cannot be told");
                return Ok("not known: the seal could not be read".to_owned());
            }
        };
        Ok(match standing {
            Standing::Sealed { seal, .. } => {
                words::anchored(seal.day, &self.store.anchors(seal.day).await?)
            }
            Standing::Pending { day, .. } => format!(
                "not yet: the record is signed and joins the seal of {day}, which is made after {} and anchored then",
                sealed_from(day)
            ),
            Standing::NotFound { .. } => "no: the record is signed and in no seal".to_owned(),
        })
    }

    async fn standing(&self, ask: &SealAsk) -> Result<Standing, DaySealError> {
        match ask {
            SealAsk::Day(day) => {
                if let Some(seal) = self.store.seal(*day).await? {
                    return Ok(Standing::Sealed { seal, digest: None });
                }
                Ok(if self.will_be_sealed(*day).await? {
                    Standing::Pending { day: *day, digest: None }
                } else {
                    Standing::NotFound { digest: None }
                })
            }
            SealAsk::Digest(digest) => self
                .sealed(*digest)
                .await
                .map(|sealed| sealed.unwrap_or(Standing::NotFound { digest: Some(*digest) })),
            SealAsk::Id(id) => {
                // A private report is as good as unknown.
                let scan = self.store.scan(id).await?;
                let Some(scan) = scan.filter(|scan| scan.visibility != Visibility::Private) else {
                    return Ok(Standing::NotFound { digest: None });
                };
                let Some(digest) = record_digest(&scan.record) else {
                    return Ok(Standing::NotFound { digest: None });
                };
                if let Some(sealed) = self.sealed(digest).await? {
                    return Ok(sealed);
                }
                let day = Day::of(scan.scanned_at);
                Ok(if self.will_be_sealed(day).await? {
                    Standing::Pending { day, digest: Some(digest) }
                } else {
                    Standing::NotFound { digest: Some(digest) }
                })
            }
        }
    }

    async fn sealed(&self, digest: Digest) -> Result<Option<Standing>, DaySealError> {
        let Some(place) = self.store.sealed_place(digest).await? else { return Ok(None) };
        let seal = self.store.seal(place.day).await?.ok_or_else(|| {
            DaySealError::Unreadable(format!(
                "a digest names the seal of {}, which is gone",
                place.day
            ))
        })?;
        Ok(Some(Standing::Sealed { seal, digest: Some(digest) }))
    }

    /// Whether this day is still to be sealed: it has begun, and lies behind the last that was.
    async fn will_be_sealed(&self, day: Day) -> Result<bool, DaySealError> {
        if day > Day::of(self.clock.now()) {
            return Ok(false);
        }
        Ok(match self.store.seals(None, 1).await?.first() {
            Some(last) => day > last.day,
            None => self.first_kept_day().await?.is_some_and(|first| day >= first),
        })
    }

    fn blank(&self) -> Seal {
        let (brand, base_url) = (&self.settings.brand, &self.settings.base_url);
        Seal {
            kind: brand.kind("seal"),
            v: 1,
            schema: contract::schema::address("seal", brand, base_url),
            subject_sha256: None,
            day: None,
            state: SealState::NotFound,
            sealed_from: None,
            searched: None,
            leaf: None,
            path: Vec::new(),
            root: None,
            leaves: None,
            seal_sha256: None,
            previous: None,
            anchors: Vec::new(),
            statement: None,
            verify: words::how(base_url),
            sha256: None,
            signature: None,
        }
    }

    async fn tell_sealed(
        &self,
        answer: &mut Seal,
        seal: KeptSeal,
        digest: Option<Digest>,
        anchors: &[Anchor],
    ) -> Result<(), DaySealError> {
        let base_url = &self.settings.base_url;
        let statement: contract::records::DaySeal = serde_json::from_slice(&seal.statement)
            .map_err(|e| DaySealError::Unreadable(format!("the statement of {}: {e}", seal.day)))?;
        answer.state = SealState::Sealed;
        answer.day = Some(seal.day);
        answer.root = Some(seal.root.to_hex());
        answer.leaves = Some(seal.digests.len() as u64);
        answer.seal_sha256 = Some(seal.sha256.to_hex());
        answer.previous = statement.previous;
        answer.anchors = anchors.iter().map(|anchor| words::anchor(anchor, base_url)).collect();
        answer.statement = Some(words::statement_address(base_url, seal.day));
        let Some(digest) = digest else { return Ok(()) };
        answer.subject_sha256 = Some(digest.to_hex());
        let (day, root) = (seal.day, seal.root);
        let found = tokio::task::spawn_blocking(move || {
            let tree = DayTree::new(seal.digests);
            let index = tree.index_of(&digest)?;
            let path = tree.path(index)?;
            (tree.root() == root).then_some((index, path))
        });
        let (index, path) = found
            .await
            .map_err(|e| DaySealError::Unreadable(e.to_string()))?
            .ok_or_else(|| DaySealError::Unreadable(format!("the digests of {day} are others")))?;
        answer.leaf = Some(SealLeaf {
            index,
            leaf_hash: proof::seal::leaf(&digest).to_hex(),
            content_rule: SealLeaf::CONTENT_RULE.to_owned(),
        });
        answer.path = path.iter().map(Digest::to_hex).collect();
        Ok(())
    }
}
