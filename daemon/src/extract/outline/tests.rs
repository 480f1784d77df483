//! Rules against small texts, and against texts that mean harm.
