package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Keys under a pass phrase, between OpenSSL and us; and the names that OpenSSL gives to files. */
class EncryptedKeyTest {
    private static final String PHRASE = "Grüße & $HOME";

    @TempDir private Path directory;

    private String openssl(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        Path out = directory.resolve("out");
        Process process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(out)).isZero();
        return Files.readString(out).strip();
    }

    private static PassPhrase phrase(String text) {
        return () -> Optional.of(text.toCharArray());
    }

    private PrivateKey read(String file, String phrase) throws Exception {
        return Pem.privateKey(text(file), phrase(phrase)).orElseThrow();
    }

    private String text(String file) throws IOException {
        return Files.readString(directory.resolve(file));
    }

    /** Without what a key may say besides, such as its public part. */
    private static Object secret(PrivateKey key) {
        return key instanceof ECPrivateKey ec ? ec.getS() : key;
    }

    @Test
    void keysThatOpensslEncryptedAreReadWithTheirPhraseAndNoOther() throws Exception {
        Files.writeString(directory.resolve("phrase"), PHRASE);
        openssl("genrsa", "-traditional", "-out", "rsa.pem", "2048");
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "ec.pem");
        List<String> locked = new ArrayList<>();
        for (String kind : List.of("rsa", "ec")) {
            for (String cipher : List.of("-des3", "-aes128", "-aes192", "-aes256")) {
                String old = kind + cipher + "-old.pem";
                List<String> words = new ArrayList<>(List.of(kind, cipher));
                if (kind.equals("rsa")) words.add("-traditional"); // of EC it is the only form
                words.addAll(List.of("-in", kind + ".pem", "-passout", "file:phrase"));
                words.addAll(List.of("-out", old));
                openssl(words.toArray(String[]::new));
                locked.add(old);
            }
            for (String scheme : List.of("aes-256-cbc", "aes-128-cbc")) {
                String file = kind + scheme + ".pem";
                openssl(
                        "pkcs8",
                        "-topk8",
                        "-v2",
                        scheme,
                        "-in",
                        kind + ".pem",
                        "-passout",
                        "file:phrase",
                        "-out",
                        file);
                locked.add(file);
            }
        }
        assertThat(text("rsa-des3-old.pem")).contains("DEK-Info: DES-EDE3-CBC");
        for (String file : locked) {
            String plain = file.startsWith("rsa") ? "rsa.pem" : "ec.pem";
            assertThat(Pem.isKeyEncrypted(text(file))).as(file).isTrue();
            assertThat(Pem.isKeyEncrypted(text(plain))).isFalse();
            assertThat(secret(read(file, PHRASE))).as(file).isEqualTo(secret(read(plain, PHRASE)));
            for (String wrong : List.of("", "Grusse & $HOME")) {
                assertThatExceptionOfType(InvalidKeySpecException.class)
                        .as(file)
                        .isThrownBy(() -> read(file, wrong))
                        .withMessageContaining("wrong pass phrase");
            }
            assertThatExceptionOfType(InvalidKeySpecException.class)
                    .isThrownBy(() -> Pem.privateKey(text(file)))
                    .withMessageContaining("encrypted");
        }
    }

    @Test
    void aWrongPhraseIsCalledWrongAlsoWhereThePaddingHappensToLookRight() throws Exception {
        Files.writeString(directory.resolve("phrase"), PHRASE);
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "ec.pem");
        openssl("ec -aes128 -in ec.pem -passout file:phrase -out old.pem".split(" "));
        openssl(
                "pkcs8 -topk8 -v2 aes-128-cbc -iter 1 -in ec.pem -passout file:phrase -out new.pem"
                        .split(" "));
        for (String file : List.of("old.pem", "new.pem")) {
            for (int i = 0; i < 2000; i++) { // about eight of them look right
                String wrong = "wrong" + i;
                assertThatExceptionOfType(InvalidKeySpecException.class)
                        .as("%s with %s", file, wrong)
                        .isThrownBy(() -> read(file, wrong))
                        .withMessageContaining("wrong pass phrase");
            }
        }
    }

    @Test
    void opensslReadsWhatWeEncrypt() throws Exception {
        Files.writeString(directory.resolve("phrase"), PHRASE);
        for (PrivateKey key :
                List.of(
                        Algorithms.newEcKeys().getPrivate(),
                        Algorithms.newRsaKeys(2048).getPrivate())) {
            Files.writeString(directory.resolve("locked.pem"), Pem.text(key, PHRASE.toCharArray()));
            openssl("pkey", "-in", "locked.pem", "-passin", "file:phrase", "-out", "open.pem");
            assertThat(read("open.pem", "")).isEqualTo(key);
            assertThat(read("locked.pem", PHRASE)).isEqualTo(key);
        }
    }

    @Test
    void authoritiesLieWhereOpensslLooksForThem() throws Exception {
        for (String dn :
                List.of(
                        "/O=Site/CN=Authority",
                        "/C=DE/ST=Bayern/O=  Two   Words /CN=ÄÖÜ Größe",
                        "/DC=org/DC=Example/UID=7/emailAddress=Ca@Example.ORG/CN=x")) {
            CertificateAuthority authority =
                    CertificateAuthority.create(dn, java.time.Instant.now());
            Files.writeString(directory.resolve("ca.pem"), authority.certificatePem());
            assertThat(SubjectHash.of(authority.certificate()))
                    .as(dn)
                    .isEqualTo(openssl("x509", "-in", "ca.pem", "-noout", "-hash"));
        }
    }
}
