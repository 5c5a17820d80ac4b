//! The log as one RFC 9162 tree over all its leaves, in the forms of C2SP: tiles, entry bundles,
//! signed notes, checkpoints, cosignatures and the witness protocol.
//!
//! Everything here is a function of its arguments. Who holds the tiles, sends the requests or
//! keeps a witness's state lives elsewhere.

mod checkpoint;
mod cosignature;
mod edge;
mod note;
mod proofs;
mod text;
mod tiles;
mod vkey;
pub mod witness;

pub use checkpoint::Checkpoint;
pub use cosignature::{cosign, cosigned_at, cosigned_message};
pub use edge::{FullTile, RightEdge, TILE_HEIGHT, TILE_WIDTH};
pub use note::{MAX_NOTE_BYTES, MAX_SIGNATURES, Note, NoteFault, NoteSignature, VerifiedBy};
pub use proofs::{Node, Plan, consistency_plan, inclusion_plan, root_plan};
pub use tiles::{
    MAX_ENTRY_BYTES, TileFile, TileId, TileKind, decode_bundle, decode_hashes, encode_bundle,
    encode_hashes, files_between, tiles_of,
};
pub use vkey::{SignatureType, VerifierKey};
