//! Positions of the boxes of a graph: in columns from left to right, so that nearly every arrow points to the right.
//!
//! This is a layered layout: cycles are broken, the longest path to each box determines its column, an arrow that crosses a
//! column has a slot in it, and slots are swapped until few arrows cross. All coordinates are whole pixels.

/// Distances between boxes of one column, and between columns.
const GAP_DOWN: i64 = 14;
const GAP_ACROSS: i64 = 72;
/// The height that an arrow takes in a column that it crosses.
const LANE: i64 = 10;
/// The distance between the middle of a box and an arrow that points to the left.
const TURNED: i64 = 9;
const SWEEPS: usize = 8;

/// A position (across, down) or a size (width, height), in pixels.
pub type Point = (i64, i64);

pub struct Layout {
    /// The upper left corner of each box.
    pub boxes: Vec<Point>,
    /// The points of each arrow, in the order of its edge; of an arrow to its own box there are none.
    pub routes: Vec<Vec<Point>>,
    pub width: i64,
    pub height: i64,
}

/// A box, or a place where an arrow crosses a column.
struct Slot {
    layer: usize,
    /// The node of a box; `None` for a crossing.
    node: Option<usize>,
    height: i64,
    /// Slots of the neighbouring columns that it is joined with.
    left: Vec<usize>,
    right: Vec<usize>,
}

/// Lays out boxes of these sizes, joined by edges from one to another.
pub fn layout(sizes: &[Point], edges: &[(usize, usize)]) -> Layout {
    let forward = without_circles(sizes.len(), edges);
    let layers = layers(sizes.len(), &forward);
    let mut slots: Vec<Slot> = sizes
        .iter()
        .zip(&layers)
        .enumerate()
        .map(|(node, (size, layer))| Slot {
            layer: *layer,
            node: Some(node),
            height: size.1,
            left: vec![],
            right: vec![],
        })
        .collect();
    let ways: Vec<_> = forward
        .iter()
        .map(|&(from, to)| way(from, to, &mut slots))
        .collect();
    let columns = order_columns(&slots);
    let across = place_columns(&columns, &slots, sizes);
    let down = place_rows(&columns, &slots);
    let place = |slot: usize| {
        let layer = slots[slot].layer;
        (across[layer].0, across[layer].1, down[slot])
    };
    let boxes = (0..sizes.len()).map(|node| {
        let (left, width, middle) = place(node);
        (
            left + (width - sizes[node].0) / 2,
            middle - sizes[node].1 / 2,
        )
    });
    let boxes: Vec<_> = boxes.collect();
    let routes = edges.iter().zip(&forward).zip(&ways);
    let routes = routes.map(|((&(from, to), &(first, _)), way)| {
        route(from, (to, first != from), way, (&boxes, sizes), &place)
    });
    let routes = routes.collect();
    let width = across.last().map_or(0, |(left, width)| left + width);
    let height = slots
        .iter()
        .enumerate()
        .map(|(slot, one)| down[slot] + one.height / 2)
        .max()
        .unwrap_or(0);
    Layout {
        boxes,
        routes,
        width,
        height,
    }
}

/// Returns the same edges, reversed where they would close a cycle.
fn without_circles(nodes: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut leaving = vec![vec![]; nodes];
    for (edge, &(from, _)) in edges.iter().enumerate() {
        leaving[from].push(edge);
    }
    let mut is_seen = vec![false; nodes];
    let mut is_open = vec![false; nodes];
    let mut forward = edges.to_vec();
    for start in 0..nodes {
        if is_seen[start] {
            continue;
        }
        // An explicit stack instead of recursion: chains of calls may be long.
        let mut stack = vec![(start, 0)];
        (is_seen[start], is_open[start]) = (true, true);
        while let Some((node, next)) = stack.pop() {
            let Some(&edge) = leaving[node].get(next) else {
                is_open[node] = false;
                continue;
            };
            stack.push((node, next + 1));
            let to = edges[edge].1;
            if is_open[to] {
                forward[edge] = (to, node);
            } else if !is_seen[to] {
                (is_seen[to], is_open[to]) = (true, true);
                stack.push((to, 0));
            }
        }
    }
    forward
}

/// Returns the column of each node: right of all that lead to it, and no farther right than needed.
fn layers(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let edges: Vec<_> = edges
        .iter()
        .copied()
        .filter(|(from, to)| from != to)
        .collect();
    let mut waiting = vec![0; nodes];
    for &(_, to) in &edges {
        waiting[to] += 1;
    }
    let mut leaving = vec![vec![]; nodes];
    for &(from, to) in &edges {
        leaving[from].push(to);
    }
    let is_first: Vec<_> = waiting.iter().map(|waiting| *waiting == 0).collect();
    let mut layers = vec![0; nodes];
    let mut ready: Vec<_> = (0..nodes).filter(|node| is_first[*node]).collect();
    while let Some(node) = ready.pop() {
        for &to in &leaving[node] {
            layers[to] = layers[to].max(layers[node] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    for node in (0..nodes).filter(|node| is_first[*node]) {
        if let Some(next) = leaving[node].iter().map(|to| layers[*to]).min() {
            layers[node] = next - 1;
        }
    }
    layers
}

/// Returns the slots that an edge runs through, with a new one in each column that it crosses.
fn way(from: usize, to: usize, slots: &mut Vec<Slot>) -> Vec<usize> {
    if from == to {
        return vec![];
    }
    let mut way = vec![from];
    for layer in slots[from].layer + 1..slots[to].layer {
        slots.push(Slot {
            layer,
            node: None,
            height: LANE,
            left: vec![],
            right: vec![],
        });
        way.push(slots.len() - 1);
    }
    way.push(to);
    for pair in way.windows(2) {
        slots[pair[0]].right.push(pair[1]);
        slots[pair[1]].left.push(pair[0]);
    }
    way
}

/// Orders the slots of each column from top to bottom, each near the mean position of the slots that it is joined with.
fn order_columns(slots: &[Slot]) -> Vec<Vec<usize>> {
    let count = slots.iter().map(|slot| slot.layer + 1).max().unwrap_or(0);
    let mut columns = vec![vec![]; count];
    for (slot, one) in slots.iter().enumerate() {
        columns[one.layer].push(slot);
    }
    let mut rank = vec![0; slots.len()];
    for column in &columns {
        for (at, slot) in column.iter().enumerate() {
            rank[*slot] = at;
        }
    }
    for sweep in 0..SWEEPS {
        let is_rightward = sweep % 2 == 0;
        let layers: Vec<_> = if is_rightward {
            (0..count).collect()
        } else {
            (0..count).rev().collect()
        };
        for layer in layers {
            let column = &mut columns[layer];
            column.sort_by_cached_key(|slot| {
                let beside = if is_rightward {
                    &slots[*slot].left
                } else {
                    &slots[*slot].right
                };
                // In thousandths, so that a mean between two ranks stays between them.
                let sum: usize = beside.iter().map(|slot| rank[*slot] * 1000).sum();
                sum.checked_div(beside.len()).unwrap_or(rank[*slot] * 1000)
            });
            for (at, slot) in column.iter().enumerate() {
                rank[*slot] = at;
            }
        }
    }
    columns
}

/// Returns the left side and the width of each column.
fn place_columns(columns: &[Vec<usize>], slots: &[Slot], sizes: &[Point]) -> Vec<Point> {
    let mut left = 0;
    let across = columns.iter().map(|column| {
        let width = column
            .iter()
            .filter_map(|slot| slots[*slot].node)
            .map(|node| sizes[node].0)
            .max()
            .unwrap_or(0);
        let at = left;
        left += width + GAP_ACROSS;
        (at, width)
    });
    across.collect()
}

/// Returns the middle of each slot: as near as possible to those that it is joined with, without touching its
/// neighbours.
fn place_rows(columns: &[Vec<usize>], slots: &[Slot]) -> Vec<i64> {
    let mut down = vec![0; slots.len()];
    for column in columns {
        let mut top = 0;
        for slot in column {
            down[*slot] = top + slots[*slot].height / 2;
            top += slots[*slot].height + GAP_DOWN;
        }
    }
    for sweep in 0..SWEEPS {
        let is_rightward = sweep % 2 == 0;
        let layers: Vec<_> = if is_rightward {
            (0..columns.len()).collect()
        } else {
            (0..columns.len()).rev().collect()
        };
        for layer in layers {
            let column = &columns[layer];
            let wished = column.iter().map(|slot| {
                let beside = if is_rightward {
                    &slots[*slot].left
                } else {
                    &slots[*slot].right
                };
                let sum: i64 = beside.iter().map(|slot| down[*slot]).sum();
                i64::try_from(beside.len())
                    .ok()
                    .and_then(|count| sum.checked_div(count))
                    .unwrap_or(down[*slot])
            });
            for (slot, middle) in
                column
                    .iter()
                    .zip(keep_apart(&wished.collect::<Vec<_>>(), column, slots))
            {
                down[*slot] = middle;
            }
        }
    }
    let top = slots
        .iter()
        .enumerate()
        .map(|(slot, one)| down[slot] - one.height / 2)
        .min()
        .unwrap_or(0);
    down.iter().map(|middle| middle - top).collect()
}

/// Moves wished positions apart: the mean of pushing all down and of pushing all up, which keeps order and distances.
fn keep_apart(wished: &[i64], column: &[usize], slots: &[Slot]) -> Vec<i64> {
    let distance = |one: usize, other: usize| {
        i64::midpoint(slots[column[one]].height, slots[column[other]].height) + GAP_DOWN
    };
    let mut pushed_down = wished.to_vec();
    for at in 1..wished.len() {
        pushed_down[at] = pushed_down[at].max(pushed_down[at - 1] + distance(at - 1, at));
    }
    let mut pushed_up = wished.to_vec();
    for at in (1..wished.len()).rev() {
        pushed_up[at - 1] = pushed_up[at - 1].min(pushed_up[at] - distance(at - 1, at));
    }
    let middles = pushed_down
        .iter()
        .zip(&pushed_up)
        .map(|(down, up)| i64::midpoint(*down, *up));
    // Rounding may have taken a pixel.
    let mut middles: Vec<_> = middles.collect();
    for at in 1..middles.len() {
        middles[at] = middles[at].max(middles[at - 1] + distance(at - 1, at));
    }
    middles
}

/// Returns the points of an arrow: out of one box, straight to the edge of its column, through its crossings, and into
/// the other.
fn route(
    from: usize,
    (to, is_turned): (usize, bool),
    way: &[usize],
    (boxes, sizes): (&[Point], &[Point]),
    place: &impl Fn(usize) -> (i64, i64, i64),
) -> Vec<Point> {
    if way.is_empty() {
        return vec![];
    }
    let side = |node: usize, is_right: bool| {
        let ((left, top), (width, height)) = (boxes[node], sizes[node]);
        // An arrow back is drawn beside the arrow forth, not over it.
        let down = top + height / 2 + if is_turned { TURNED } else { 0 };
        let (column, across, _) = place(node);
        if is_right {
            [(left + width, down), (column + across, down)]
        } else {
            [(left, down), (column, down)]
        }
    };
    let crossings = way[1..way.len() - 1].iter().flat_map(|slot| {
        let (left, width, middle) = place(*slot);
        [(left, middle), (left + width, middle)]
    });
    let mut crossings: Vec<_> = crossings.collect();
    if is_turned {
        crossings.reverse();
    }
    let ([start, leaving], [end, entering]) = (side(from, !is_turned), side(to, is_turned));
    let mut points = vec![start, leaving];
    points.extend(crossings);
    points.extend([entering, end]);
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Point = (100, 36);

    fn checked(nodes: usize, edges: &[(usize, usize)]) -> Layout {
        let drawn = layout(&vec![BOX; nodes], edges);
        assert_eq!(
            (drawn.boxes.len(), drawn.routes.len()),
            (nodes, edges.len())
        );
        for (one, (left, top)) in drawn.boxes.iter().enumerate() {
            assert!(
                *left >= 0
                    && *top >= 0
                    && left + BOX.0 <= drawn.width
                    && top + BOX.1 <= drawn.height
            );
            for (left_there, top_there) in &drawn.boxes[one + 1..] {
                let is_apart =
                    (left - left_there).abs() >= BOX.0 || (top - top_there).abs() >= BOX.1;
                assert!(is_apart, "{:?}", drawn.boxes);
            }
        }
        drawn
    }

    #[test]
    fn calls_point_to_the_right_but_for_those_that_close_a_circle() {
        let edges = [(0, 1), (1, 2), (0, 2), (3, 1), (2, 0), (1, 1)];
        let drawn = checked(4, &edges);
        let across = |node: usize| drawn.boxes[node].0;
        assert!(across(0) < across(1) && across(1) < across(2) && across(3) < across(1));
        for (edge, points) in edges.iter().zip(&drawn.routes) {
            let ends = points.first().zip(points.last());
            match edge {
                (1, 1) => assert!(points.is_empty()),
                (2, 0) => assert!(ends.is_some_and(|(first, last)| first.0 > last.0)),
                _ => assert!(
                    ends.is_some_and(|(first, last)| first.0 < last.0),
                    "{edge:?}"
                ),
            }
        }
        assert_eq!(
            drawn.routes[2].len(),
            4,
            "an arrow has a lane in the column that it crosses"
        );
    }

    #[test]
    fn any_graph_is_laid_out() {
        assert_eq!(checked(0, &[]).width, 0);
        checked(3, &[]);
        checked(2, &[(0, 1), (1, 0), (0, 1)]);
        let tree: Vec<_> = (1..400).map(|to| (to / 3, to)).collect();
        checked(400, &tree);
        let chain: Vec<_> = (1..200).map(|to| (to - 1, to)).chain([(199, 0)]).collect();
        checked(200, &chain);
        let all: Vec<_> = (0..20)
            .flat_map(|from| (0..20).map(move |to| (from, to)))
            .collect();
        checked(20, &all);
    }
}
