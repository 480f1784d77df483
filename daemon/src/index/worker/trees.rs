//! Where a worker's syntax trees lie: memory that is handed out and taken back without asking anybody, and begun anew for
//! each file.
//!
//! A parser takes and frees millions of small pieces, and in the end all of them at once: trees are left as they are, and
//! what they lie in is begun anew. A worker has one thread, so nothing here is shared: pieces of one size that were freed
//! are kept in a list, and what is taken anew lies behind what was taken last.
#![expect(
    unsafe_code,
    reason = "the parser's library is C, and takes its memory by address"
)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use tree_sitter::Allocator;

use crate::extract;

/// Of a piece, before the bytes that are handed out. They are aligned as it is.
const HEADER: usize = 16;
const _: () = assert!(size_of::<Header>() <= HEADER && align_of::<Header>() <= HEADER);
/// Sizes up to here are told apart by 16 bytes, larger ones by powers of two.
const SMALL: usize = 1024;
const SMALL_CLASSES: usize = SMALL / HEADER + 1;
const CLASSES: usize = SMALL_CLASSES + usize::BITS as usize;
/// Most trees fit the first block, which is kept. It is aligned so that the system can back it with large pages.
const FIRST_BLOCK: usize = 8 << 20;
const FIRST_ALIGNMENT: usize = 2 << 20;
const BLOCK: usize = 4 << 20;

struct Header {
    class: usize,
    /// Where the piece is free: the next that is.
    next: *mut Header,
}

/// At the start of each block.
struct Block {
    before: *mut Block,
    layout: Layout,
}
/// What is behind it is aligned as the pieces are.
const BLOCK_HEADER: usize = size_of::<Block>().next_multiple_of(HEADER);

struct Trees {
    free: [Cell<*mut Header>; CLASSES],
    /// Of the last block: where the next piece begins, and how many bytes are left.
    next: Cell<*mut u8>,
    left: Cell<usize>,
    blocks: Cell<*mut Block>,
}

thread_local! {
    static TREES: Trees = const {
        Trees {
            free: [const { Cell::new(ptr::null_mut()) }; CLASSES],
            next: Cell::new(ptr::null_mut()),
            left: Cell::new(0),
            blocks: Cell::new(ptr::null_mut()),
        }
    };
}

/// From now on trees are made here. To be called before the first of them, in a process with one thread.
pub fn keep_here() {
    // All four are of one family, end the process where there is no memory, and nothing of the library is alive.
    unsafe {
        tree_sitter::set_allocator(Some(Allocator {
            malloc,
            calloc,
            realloc,
            free,
        }));
    };
    extract::trees::leave();
}

/// Makes something out of trees. Then all that was taken for them is free again, in one piece.
///
/// # Safety
/// What is made holds nothing of the parser's library, nor is anything of it kept elsewhere.
pub unsafe fn made_of<T>(work: impl FnOnce() -> T) -> T {
    let made = work();
    TREES.with(Trees::clear);
    made
}

impl Trees {
    fn take(&self, size: usize) -> *mut u8 {
        let class = class_of(size);
        let freed = self.free[class].get();
        if !freed.is_null() {
            // It was put there by `give`, which wrote its header.
            self.free[class].set(unsafe { (*freed).next });
            return unsafe { freed.cast::<u8>().add(HEADER) };
        }
        let whole = size_of_class(class);
        if self.left.get() < whole {
            self.grow(whole);
        }
        let piece = self.next.get();
        // There are `whole` bytes from here on, aligned as a header is.
        unsafe {
            self.next.set(piece.add(whole));
            self.left.set(self.left.get() - whole);
            #[expect(
                clippy::cast_ptr_alignment,
                reason = "pieces begin at multiples of what a header needs"
            )]
            piece.cast::<Header>().write(Header {
                class,
                next: ptr::null_mut(),
            });
            piece.add(HEADER)
        }
    }

    fn give(&self, piece: *mut u8) {
        let header = header_of(piece);
        // It came from `take`, and is given back once.
        unsafe {
            let list = &self.free[(*header).class];
            (*header).next = list.get();
            list.set(header);
        }
    }

    fn grow(&self, least: usize) {
        let is_first = self.blocks.get().is_null();
        let (size, alignment) = if is_first {
            (FIRST_BLOCK, FIRST_ALIGNMENT)
        } else {
            (BLOCK, HEADER)
        };
        let size = size.max(least.saturating_add(BLOCK_HEADER));
        let Ok(layout) = Layout::from_size_align(size, alignment) else {
            handle_alloc_error(Layout::new::<Block>())
        };
        let block = unsafe { alloc(layout) };
        if block.is_null() {
            handle_alloc_error(layout);
        }
        #[expect(
            clippy::cast_ptr_alignment,
            reason = "the layout asks for more than a block's header needs"
        )]
        let header = block.cast::<Block>();
        unsafe {
            header.write(Block {
                before: self.blocks.get(),
                layout,
            });
        };
        self.blocks.set(header);
        self.begin(header);
    }

    /// What is taken anew comes from this block.
    fn begin(&self, block: *mut Block) {
        unsafe {
            self.next.set(block.cast::<u8>().add(BLOCK_HEADER));
            self.left.set((*block).layout.size() - BLOCK_HEADER);
        }
    }

    fn clear(&self) {
        for list in &self.free {
            list.set(ptr::null_mut());
        }
        let mut block = self.blocks.get();
        while !block.is_null() {
            let Block { before, layout } = unsafe { block.read() };
            if before.is_null() && layout.size() == FIRST_BLOCK {
                self.blocks.set(block);
                self.begin(block);
                return;
            }
            unsafe { dealloc(block.cast(), layout) };
            block = before;
        }
        self.blocks.set(block);
        self.left.set(0);
    }
}

fn class_of(size: usize) -> usize {
    let whole = size.max(1).saturating_add(HEADER);
    if whole <= SMALL {
        whole.div_ceil(HEADER)
    } else {
        SMALL_CLASSES + whole.next_power_of_two().trailing_zeros() as usize
    }
}

/// With the header.
fn size_of_class(class: usize) -> usize {
    if class < SMALL_CLASSES {
        class * HEADER
    } else {
        1 << (class - SMALL_CLASSES)
    }
}

fn header_of(piece: *mut u8) -> *mut Header {
    unsafe { piece.sub(HEADER).cast() }
}

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    TREES.with(|trees| trees.take(size)).cast()
}

unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let size = count.saturating_mul(size);
    let piece = TREES.with(|trees| trees.take(size));
    unsafe { piece.write_bytes(0, size) };
    piece.cast()
}

unsafe extern "C" fn realloc(piece: *mut c_void, size: usize) -> *mut c_void {
    let piece: *mut u8 = piece.cast();
    TREES
        .with(|trees| {
            if piece.is_null() {
                return trees.take(size);
            }
            let room = size_of_class(unsafe { (*header_of(piece)).class }) - HEADER;
            if size <= room {
                return piece;
            }
            let other = trees.take(size);
            // The other has more room than this one.
            unsafe { ptr::copy_nonoverlapping(piece, other, room) };
            trees.give(piece);
            other
        })
        .cast()
}

unsafe extern "C" fn free(piece: *mut c_void) {
    if !piece.is_null() {
        TREES.with(|trees| trees.give(piece.cast()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes by which a piece is known again.
    fn fill(piece: *mut u8, size: usize, with: u8) {
        unsafe { piece.write_bytes(with, size) };
    }

    fn has(piece: *mut u8, size: usize, with: u8) -> bool {
        (0..size).all(|at| unsafe { piece.add(at).read() } == with)
    }

    #[test]
    fn pieces_are_apart_aligned_and_used_again() {
        let mut pieces: Vec<(*mut u8, usize, u8)> = vec![];
        let mut state = 7_u64;
        for round in 0..20_000_u32 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let random = (state >> 33) as usize;
            let mark = u8::try_from(round % 251).expect("small");
            match random % 3 {
                0 if !pieces.is_empty() => {
                    let (piece, size, with) = pieces.swap_remove(random % pieces.len());
                    assert!(has(piece, size, with));
                    unsafe { free(piece.cast()) };
                }
                1 if !pieces.is_empty() => {
                    let at = random % pieces.len();
                    let (piece, size, with) = pieces[at];
                    let other = size * 2 + 1;
                    let grown: *mut u8 = unsafe { realloc(piece.cast(), other) }.cast();
                    assert!(has(grown, size, with));
                    fill(grown, other, mark);
                    pieces[at] = (grown, other, mark);
                }
                _ => {
                    let size = if random.is_multiple_of(100) {
                        random % 300_000
                    } else {
                        random % 2000
                    };
                    let piece: *mut u8 = unsafe { calloc(1, size) }.cast();
                    assert!(piece.addr().is_multiple_of(HEADER) && has(piece, size, 0));
                    fill(piece, size, mark);
                    pieces.push((piece, size, mark));
                }
            }
            if pieces.iter().map(|(_, size, _)| size).sum::<usize>() > 64 << 20 {
                for (piece, size, with) in pieces.drain(..) {
                    assert!(has(piece, size, with));
                    unsafe { free(piece.cast()) };
                }
                TREES.with(Trees::clear);
            }
        }
        // What was never freed is free too.
        TREES.with(Trees::clear);
        let (first, second): (*mut c_void, *mut c_void) = unsafe { (malloc(10), malloc(10)) };
        assert_eq!(
            second.addr() - first.addr(),
            2 * HEADER,
            "one behind the other"
        );
        unsafe { free(first) };
        assert_eq!(unsafe { malloc(3) }, first, "what is free is taken first");
    }
}
