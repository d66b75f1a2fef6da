package org.gridfarm.test.linear;

/** The sequential truth. States are immutable and have value equality. */
public interface Model<S, C, O> {
    S initial();

    /** What the call does in this state, and what it answers. */
    Step<S, O> step(S state, C call);

    /**
     * Whether the answer that was seen is the one the model gives; some answers may be looser than
     * the model's.
     */
    default boolean agrees(O seen, O modelled) {
        return seen.equals(modelled);
    }

    record Step<S, O>(S state, O outcome) {}
}
