#pragma once

#define PRESS_API __attribute__((visibility("default"))) // ⟦ def PRESS_API ⟧
#define PRESS_GUARDED_BY(lock) // ⟦ def PRESS_GUARDED_BY ⟧
#define PRESS_LOCKS_EXCLUDED(lock) // ⟦ def PRESS_LOCKS_EXCLUDED ⟧
#define PRESS_SHEETS(document) press::rounded((document).sheets()) // ⟦ def PRESS_SHEETS ; call rounded from PRESS_SHEETS ; may Document.sheets ⟧
