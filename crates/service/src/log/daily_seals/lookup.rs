//! Finding the seal of a record by its digest or id, or the seal of a day.

use contract::Day;
use contract::records::{ScanRecord, Seal, SealLeaf, SealState, SearchedDays};
use proof::day_seal::DayTree;
use proof::{Digest, KeyPurpose, SignedDocument};
use store::scans::record_digest;
use store::{Anchor, AnchorStage, StoredSeal, Visibility};

use super::day::sealing_time;
use super::{DailySeals, DaySealError, words};

/// What to look up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SealQuery {
    Digest(Digest),
    /// The id of a report.
    Id(String),
    Day(Day),
}

/// The signed answer.
#[derive(Debug, Clone)]
pub struct SealLookupAnswer {
    pub document: SignedDocument,
    /// Whether the answer is final: sealed, and a timestamp is confirmed.
    pub settled: bool,
}

/// What is known about the seal of a record or a day.
enum SealStatus {
    Sealed { seal: StoredSeal, digest: Option<Digest> },
    Pending { day: Day, digest: Option<Digest> },
    NotFound { digest: Option<Digest> },
}

impl DailySeals {
    /// Looks up the seal of a record or a day. The answer is signed also if nothing is found; then it
    /// names the days that were searched.
    pub async fn look_up(&self, ask: &SealQuery) -> Result<SealLookupAnswer, DaySealError> {
        let status = self.find_status(ask).await?;
        let mut answer = self.empty_answer();
        let mut settled = false;
        match status {
            SealStatus::Sealed { seal, digest } => {
                let anchors = self.store.anchors(seal.day).await?;
                settled = anchors.iter().any(|anchor| anchor.stage == AnchorStage::Verified);
                self.fill_sealed(&mut answer, seal, digest, &anchors).await?;
            }
            SealStatus::Pending { day, digest } => {
                answer.subject_sha256 = digest.map(|digest| digest.to_hex());
                answer.day = Some(day);
                answer.state = SealState::Pending;
                answer.sealed_from = Some(sealing_time(day));
            }
            SealStatus::NotFound { digest } => {
                answer.subject_sha256 = digest.map(|digest| digest.to_hex());
                let newest = self.store.seals(None, 1).await?;
                answer.searched = Some(SearchedDays {
                    from: self.store.first_sealed_day().await?,
                    to: newest.first().map(|row| row.day),
                });
            }
        }
        let document = self.keys.sign_document(&answer, KeyPurpose::Documents)?;
        Ok(SealLookupAnswer { document, settled })
    }

    /// The text of `proof.anchored` in a report.
    pub(crate) async fn anchoring_text(
        &self,
        record: &ScanRecord,
    ) -> Result<String, store::StoreError> {
        let Some(id) = record.id.clone() else {
            return Ok("the site did not answer, so nothing was stored or sealed".to_owned());
        };
        let status = match self.find_status(&SealQuery::Id(id)).await {
            Ok(status) => status,
            Err(DaySealError::Store(error)) => return Err(error),
            Err(error) => {
                tracing::error!(%error, "the seal of a record cannot be looked up");
                return Ok("unknown: the seal could not be read".to_owned());
            }
        };
        Ok(match status {
            SealStatus::Sealed { seal, .. } => {
                words::describe_anchoring(seal.day, &self.store.anchors(seal.day).await?)
            }
            SealStatus::Pending { day, .. } => format!(
                "not yet: the record is signed and will be part of the seal of {day}, which is made after {} and then anchored",
                sealing_time(day)
            ),
            SealStatus::NotFound { .. } => {
                "no: the record is signed but is not part of any seal".to_owned()
            }
        })
    }

    async fn find_status(&self, ask: &SealQuery) -> Result<SealStatus, DaySealError> {
        match ask {
            SealQuery::Day(day) => {
                if let Some(seal) = self.store.seal(*day).await? {
                    return Ok(SealStatus::Sealed { seal, digest: None });
                }
                Ok(if self.will_be_sealed(*day).await? {
                    SealStatus::Pending { day: *day, digest: None }
                } else {
                    SealStatus::NotFound { digest: None }
                })
            }
            SealQuery::Digest(digest) => {
                if let Some(sealed) = self.find_sealed(*digest).await? {
                    return Ok(sealed);
                }
                let measured = self.store.accuracy_by_digest(*digest).await?;
                let day = match measured.map(|measured| Day::of(measured.checked_at)) {
                    Some(day) if self.will_be_sealed(day).await? => Some(day),
                    _ => self.find_unsealed(*digest).await?,
                };
                let digest = Some(*digest);
                Ok(match day {
                    Some(day) => SealStatus::Pending { day, digest },
                    None => SealStatus::NotFound { digest },
                })
            }
            SealQuery::Id(id) => {
                let Some((digest, day)) = self.find_record(id).await? else {
                    return Ok(SealStatus::NotFound { digest: None });
                };
                if let Some(sealed) = self.find_sealed(digest).await? {
                    return Ok(sealed);
                }
                Ok(if self.will_be_sealed(day).await? {
                    SealStatus::Pending { day, digest: Some(digest) }
                } else {
                    SealStatus::NotFound { digest: Some(digest) }
                })
            }
        }
    }

    /// The digest and day of a report, also of one that was deleted. A private report is treated like an
    /// unknown one.
    async fn find_record(&self, id: &str) -> Result<Option<(Digest, Day)>, DaySealError> {
        if let Some(scan) = self.store.scan(id).await? {
            let is_sealed = scan.visibility != Visibility::Private;
            let digest = record_digest(&scan.record).filter(|_| is_sealed);
            return Ok(digest.map(|digest| (digest, Day::of(scan.scanned_at))));
        }
        let deleted = self.store.deleted_scan(id).await?;
        Ok(deleted.and_then(|deleted| deleted.record_sha256.zip(deleted.day)))
    }

    async fn find_sealed(&self, digest: Digest) -> Result<Option<SealStatus>, DaySealError> {
        let Some(position) = self.store.seal_position(digest).await? else { return Ok(None) };
        let seal = self.store.seal(position.day).await?.ok_or_else(|| {
            DaySealError::Unreadable(format!(
                "the index names the seal of {}, which is missing",
                position.day
            ))
        })?;
        Ok(Some(SealStatus::Sealed { seal, digest: Some(digest) }))
    }

    /// Whether this day will still be sealed: it has begun, and is after the last sealed day.
    async fn will_be_sealed(&self, day: Day) -> Result<bool, DaySealError> {
        if day > Day::of(self.clock.now()) {
            return Ok(false);
        }
        Ok(match self.store.seals(None, 1).await?.first() {
            Some(last) => day > last.day,
            None => self.first_day_with_records().await?.is_some_and(|first| day >= first),
        })
    }

    fn empty_answer(&self) -> Seal {
        let (brand, base_url) = (&self.issuer.brand, &self.issuer.base_url);
        Seal {
            kind: brand.kind("seal"),
            v: 1,
            schema: contract::schema::schema_url("seal", brand, base_url),
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
            verify: words::verification_steps(base_url),
            sha256: None,
            signature: None,
        }
    }

    async fn fill_sealed(
        &self,
        answer: &mut Seal,
        seal: StoredSeal,
        digest: Option<Digest>,
        anchors: &[Anchor],
    ) -> Result<(), DaySealError> {
        let base_url = &self.issuer.base_url;
        let statement: contract::records::DaySeal = serde_json::from_slice(&seal.statement)
            .map_err(|e| DaySealError::Unreadable(format!("the statement of {}: {e}", seal.day)))?;
        answer.state = SealState::Sealed;
        answer.day = Some(seal.day);
        answer.root = Some(seal.root.to_hex());
        answer.leaves = Some(seal.digests.len() as u64);
        answer.seal_sha256 = Some(seal.sha256.to_hex());
        answer.previous = statement.previous;
        answer.anchors =
            anchors.iter().map(|anchor| words::to_seal_anchor(anchor, base_url)).collect();
        answer.statement = Some(words::statement_url(base_url, seal.day));
        let Some(digest) = digest else { return Ok(()) };
        answer.subject_sha256 = Some(digest.to_hex());
        let (day, root) = (seal.day, seal.root);
        let found = tokio::task::spawn_blocking(move || {
            let tree = DayTree::new(seal.digests);
            let index = tree.index_of(&digest)?;
            let path = tree.path(index)?;
            (tree.root() == root).then_some((index, path))
        });
        let (index, path) =
            found.await.map_err(|e| DaySealError::Unreadable(e.to_string()))?.ok_or_else(|| {
                DaySealError::Unreadable(format!(
                    "the stored digests of {day} do not match its seal"
                ))
            })?;
        answer.leaf = Some(SealLeaf {
            index,
            leaf_hash: proof::day_seal::record_leaf(&digest).to_hex(),
            content_rule: SealLeaf::CONTENT_RULE.to_owned(),
        });
        answer.path = path.iter().map(Digest::to_hex).collect();
        Ok(())
    }
}
