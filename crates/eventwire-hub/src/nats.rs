#![doc = include_str!("../docs/nats.md")]
