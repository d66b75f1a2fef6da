package org.gridfarm.client.cli.gateway.s3.auth;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * With what somebody proves who he is.
 *
 * @param account whose requests are signed with it
 */
public record AccessKey(String id, String secret, String account) {
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int ID_LETTERS = 20;
    private static final int SECRET_BYTES = 30;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{3,128}");
    private static final Pattern SECRET = Pattern.compile("\\S{16,256}");
    private static final Pattern ACCOUNT = Pattern.compile("[A-Za-z_][A-Za-z0-9_.@-]{0,254}");

    public AccessKey {
        require(ID, id, "access key", "3 to 128 letters, digits, - and _");
        require(SECRET, secret, "secret key", "16 to 256 characters without blanks");
        require(ACCOUNT, account, "account", "a name of an account");
    }

    private static void require(Pattern pattern, String text, String what, String needs) {
        if (!pattern.matcher(text).matches()) {
            String shown = what.equals("secret key") ? "" : text;
            throw new FarmException(ErrorKind.INVALID, what, shown, "needs " + needs);
        }
    }

    /** A new one, as nobody else has it. */
    public static AccessKey made(String account) {
        SecureRandom random = new SecureRandom();
        StringBuilder id = new StringBuilder();
        for (int i = 0; i < ID_LETTERS; i++) {
            id.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return new AccessKey(
                id.toString(),
                Base64.getUrlEncoder().withoutPadding().encodeToString(secret),
                account);
    }

    /** Without what nobody else is to know. */
    @Override
    public String toString() {
        return id + " " + account;
    }
}
