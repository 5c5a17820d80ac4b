//! The log as one RFC 9162 tree over all its leaves, in the forms of C2SP: tiles, entry bundles,
//! signed notes, checkpoints, cosignatures and the witness protocol.
//!
//! Everything here is a function of its arguments. Who holds the tiles, sends the requests or
//! keeps a witness's state lives elsewhere.

mod edge;

pub use edge::{FullTile, RightEdge, TILE_HEIGHT, TILE_WIDTH};
