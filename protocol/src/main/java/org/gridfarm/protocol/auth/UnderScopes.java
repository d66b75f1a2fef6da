package org.gridfarm.protocol.auth;

/** What becomes of a method when the caller's token limits him to some paths. */
public enum UnderScopes {
    /** Not for him: the method is about more than paths. */
    REFUSED,
    /** It gives nothing away that lies at a path, or is about what he has open. */
    FREE,
    /** The server looks which paths the request is about before it does anything else. */
    JUDGED
}
