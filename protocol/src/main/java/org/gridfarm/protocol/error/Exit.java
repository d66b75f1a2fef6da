package org.gridfarm.protocol.error;

/** Exit statuses of the commands, from sysexits.h. */
public enum Exit {
    USAGE(64),
    DATA(65),
    NO_INPUT(66),
    UNAVAILABLE(69),
    SOFTWARE(70),
    CANNOT_CREATE(73),
    INPUT_OUTPUT(74),
    TRY_AGAIN(75),
    PROTOCOL(76),
    NO_PERMISSION(77),
    CONFIGURATION(78),
    INTERRUPTED(130);

    private final int code;

    Exit(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}
