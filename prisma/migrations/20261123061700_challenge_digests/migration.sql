-- Of a challenge its digest is enough: with the plain method it is the verifier itself.
UPDATE "authorization_code" SET "challenge" =
  translate(rtrim(encode(sha256(convert_to("challenge", 'UTF8')), 'base64'), '='), '+/', '-_');
