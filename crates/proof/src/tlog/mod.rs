//! The log as one RFC 9162 tree over all its leaves, in the C2SP formats: tiles, entry bundles,
//! signed notes, checkpoints, cosignatures and the witness protocol.
//!
//! Everything here is a pure function of its arguments. Storing tiles, sending requests and storing
//! a witness's state is done elsewhere.

mod checkpoint;
mod cosignature;
mod encoding;
mod note;
mod note_signature;
mod proof_plan;
mod right_edge;
mod tiles;
mod verifier_key;
pub mod witness;

pub use checkpoint::Checkpoint;
pub use cosignature::{cosign, cosigned_message, verified_cosignature_time};
pub use note::{MAX_NOTE_BYTES, MAX_SIGNATURES, Note, NoteError, VerifiedSigner};
pub use note_signature::NoteSignature;
pub use proof_plan::{ProofPlan, Subtree, consistency_plan, inclusion_plan, root_plan};
pub use right_edge::{FullTile, RightEdge, TILE_HEIGHT, TILE_WIDTH};
pub use tiles::{
    MAX_ENTRY_BYTES, TileFile, TileId, TileKind, decode_entry_bundle, decode_tile_hashes,
    encode_entry_bundle, encode_tile_hashes, tile_files, tile_files_between,
};
pub use verifier_key::{SignatureType, VerifierKey};
