//! Which kernels follow one another as fewer RVs must be updated, and where a run is among them.

use super::kernels::Which;

/// Kernels in turn: the first is the fastest while all RVs must be updated.
#[derive(Debug, Clone)]
pub struct Order(pub Vec<Stage>);

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// The kernel.
    pub which: Which,
    /// From such a share of what it counts on ([`Which::counts`]) the next one is faster; of the last, nothing.
    pub few: f64,
}

impl Order {
    /// What begins.
    pub fn first(&self) -> Which {
        self.0[0].which
    }
}

/// Where a run is.
#[derive(Debug)]
pub struct Course {
    order: Order,
    stage: usize,
    /// Weights of the last entry.
    weights: Option<[u8; 256]>,
}

impl Course {
    /// A run that has not begun.
    pub fn new(order: Order) -> Self {
        Self { order, stage: 0, weights: None }
    }

    /// What is to run.
    pub fn now(&self) -> Stage {
        self.order.0[self.stage]
    }

    /// Whether nothing follows.
    pub fn is_last(&self) -> bool {
        self.stage + 1 == self.order.0.len()
    }

    /// The next iterations are of an entry with weights w(Es). If some weight rises, more labels live, or labels change more often: whether the
    /// order begins anew.
    pub fn enter(&mut self, weights: &[u8; 256]) -> bool {
        let rises =
            self.weights.is_some_and(|before| weights.iter().zip(before).any(|(&now, before)| now > before));
        self.weights = Some(*weights);
        if rises {
            self.stage = 0;
        }
        rises
    }

    /// Such a share was counted: whether another kernel goes on.
    pub fn hear(&mut self, share: f64) -> bool {
        let before = self.stage;
        // Thresholds of kernels that count the same.
        while !self.is_last() && share <= self.now().few {
            self.stage += 1;
        }
        self.stage != before
    }

    /// The next kernel goes on, if there is one.
    pub fn go_on(&mut self) {
        if !self.is_last() {
            self.stage += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course() -> Course {
        let stage = |which, few| Stage { which, few };
        Course::new(Order(vec![
            stage(Which::Sites, 0.4),
            stage(Which::Dealt, 0.02),
            stage(Which::Sparse, 0.0),
        ]))
    }

    #[test]
    fn kernels_follow_one_another() {
        let mut course = course();
        assert!(!course.hear(0.41));
        assert_eq!(course.now().which, Which::Sites);
        assert!(course.hear(0.4));
        assert_eq!(course.now().which, Which::Dealt);
        course.go_on();
        assert_eq!(course.now().which, Which::Sparse);
        assert!(course.is_last() && !course.hear(0.0));
        course.go_on();
        assert_eq!(course.now().which, Which::Sparse);
    }

    #[test]
    fn a_kernel_is_left_out_where_it_would_end_at_once() {
        let mut course = course();
        assert!(course.hear(0.01));
        assert_eq!(course.now().which, Which::Sparse);
    }

    #[test]
    fn rising_weights_begin_anew() {
        let mut course = course();
        let mut weights = [0; 256];
        weights[..2].copy_from_slice(&[128, 64]);
        assert!(!course.enter(&weights));
        course.go_on();
        weights[1] = 32;
        assert!(!course.enter(&weights));
        assert_eq!(course.now().which, Which::Dealt);
        // No other label lives, but one more often.
        weights[1] = 64;
        assert!(course.enter(&weights));
        assert_eq!(course.now().which, Which::Sites);
    }
}
