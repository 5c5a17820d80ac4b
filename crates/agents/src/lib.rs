//! The catalogue of agents and what they send
