package bank.ledger;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Marks what the auditors want to see. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Audited { // ⟦ def Audited ⟧
    String by() default "bank"; // ⟦ def Audited.by ⟧
}
