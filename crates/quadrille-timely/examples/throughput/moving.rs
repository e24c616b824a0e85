//! A world of points that all move in each tick, as a function of ids and ticks.

/// The side of the world.
pub(crate) const SIDE: f32 = 1000.0;
/// Windows a tick, and their side.
pub(crate) const WINDOWS: u32 = 1000;
pub(crate) const WINDOW: f32 = 10.0;

/// The world: 90 % of a crowded one are in 50 clusters, and all is as small there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    pub(crate) objects: u64,
    pub(crate) crowded: bool,
}

/// Mixes bits (splitmix64).
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// From 0 to 1.
fn unit(bits: u64) -> f32 {
    (bits & 0xFF_FFFF) as f32 / 16_777_216.0
}

impl Moving {
    /// How near two points are that make a pair.
    pub(crate) fn reach(&self) -> f32 {
        if self.crowded { 0.03 } else { 0.3 }
    }

    pub(crate) fn start(&self, id: u64) -> [f32; 2] {
        let bits = mix(id + 0x51_ED27);
        let (u, v) = (unit(bits), unit(bits >> 32));
        if !self.crowded || id.is_multiple_of(10) {
            return [u * SIDE, v * SIDE];
        }
        let cluster = mix(77 + mix(id) % 50);
        let more = mix(bits);
        // A sum of two uniform numbers is denser in the middle.
        let spread = |center: u64, a: f32, b: f32| (unit(center) * SIDE + (a + b - 1.0) * 15.0).clamp(0.0, SIDE);
        [spread(cluster, u, unit(more)), spread(cluster >> 32, v, unit(more >> 32))]
    }

    #[inline]
    pub(crate) fn next(&self, id: u64, tick: u64, at: [f32; 2]) -> [f32; 2] {
        let step = if self.crowded { 0.05 } else { 0.5 };
        let bits = mix(id | tick << 32);
        let go = |from: f32, bits: u64| {
            let to = from + (unit(bits) * 2.0 - 1.0) * step;
            if (0.0..=SIDE).contains(&to) { to } else { from }
        };
        [go(at[0], bits), go(at[1], bits >> 32)]
    }

    /// The minimum corner of a window.
    pub(crate) fn window(tick: u64, number: u32) -> [f32; 2] {
        let bits = mix(tick.wrapping_mul(0x9E37_79B9) ^ u64::from(number) << 40);
        [unit(bits) * SIDE, unit(bits >> 32) * SIDE]
    }
}
