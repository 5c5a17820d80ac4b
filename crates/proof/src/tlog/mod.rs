//! The log as one RFC 9162 tree over all its leaves, in the forms of C2SP: tiles, entry bundles,
//! signed notes, checkpoints, cosignatures and the witness protocol.
//!
//! Everything here is a function of its arguments. Who holds the tiles, sends the requests or
//! keeps a witness's state lives elsewhere.

mod edge;
mod proofs;
mod text;
mod tiles;

pub use edge::{FullTile, RightEdge, TILE_HEIGHT, TILE_WIDTH};
pub use proofs::{Node, Plan, consistency_plan, inclusion_plan, root_plan};
pub use tiles::{
    MAX_ENTRY_BYTES, TileFile, TileId, TileKind, decode_bundle, decode_hashes, encode_bundle,
    encode_hashes, files_between, tiles_of,
};
