package org.gridfarm.client.cli.gateway.call;

import org.gridfarm.client.cli.gateway.http.Answer;
import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

/**
 * A request with all that is needed to answer it.
 *
 * @param farm as the visitor sees it
 * @param path in the farm
 */
public record Call(Visitor visitor, Gridfarm farm, FarmPath path, Request request, Answer answer) {
    /**
     * The path in an address: decoded, and refused where it goes up or round about, which is never
     * meant well and leads elsewhere in every other program.
     */
    public static FarmPath path(String decoded) {
        if (decoded.indexOf('\0') >= 0) {
            throw new FarmException(
                    ErrorKind.INVALID, "path", decoded.replace('\0', '?'), "a name holds no NUL");
        }
        for (String part : decoded.split("/", -1)) {
            if (part.equals("..") || part.equals(".")) {
                throw new FarmException(
                        ErrorKind.INVALID, "path", decoded, "a path here holds no " + part);
            }
        }
        return FarmPath.of(decoded.isEmpty() ? "/" : decoded);
    }
}
