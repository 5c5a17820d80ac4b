//! What a site says of itself: bytes in, facts out
