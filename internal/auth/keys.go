package auth

import (
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/parley-dev/parley/internal/secret"
)

// The algorithms a file may name.
const (
	algHS256 = "HS256"
	algRS256 = "RS256"
	algEdDSA = "EdDSA"
)

const (
	maxKeysInSet = 32
	minRSABits   = 2048
	maxRSABits   = 8192 // larger ones make each check costly
)

// verifyKey is a key that checks signatures of one algorithm and no other:
// that a public RSA key never serves as an HMAC secret follows from it.
type verifyKey struct {
	alg string
	kid string // empty: the key stands for any kid
	key any    // secret.Value, *rsa.PublicKey or ed25519.PublicKey
}

// material is the key in the form the library checks with.
func (k verifyKey) material() any {
	if s, ok := k.key.(secret.Value); ok {
		return []byte(s.Reveal())
	}
	return k.key
}

type keySet []verifyKey

// find gives the keys that a token with this header may be signed with. A kid
// is compared and nothing else is ever done with it.
func (s keySet) find(alg, kid string) keySet {
	var found keySet
	for _, k := range s {
		if k.alg == alg && (kid == "" || k.kid == "" || k.kid == kid) {
			found = append(found, k)
		}
	}
	return found
}

func (s keySet) has(alg string) bool { return len(s.find(alg, "")) > 0 }

// parsePEM reads public keys and certificates.
func parsePEM(data []byte) (keySet, error) {
	var set keySet
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			break
		}
		key, err := parsePEMBlock(block)
		if err != nil {
			return nil, err
		}
		k, err := publicKey(key)
		if err != nil {
			return nil, err
		}
		set = append(set, k)
	}
	return set, checkCount(set, "no PEM block with a public key")
}

func parsePEMBlock(block *pem.Block) (any, error) {
	switch {
	case strings.Contains(block.Type, "PRIVATE KEY"):
		return nil, errors.New("it holds a private key; give the public one (openssl pkey -in KEY -pubout)")
	case block.Type == "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case block.Type == "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	case block.Type == "CERTIFICATE":
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return cert.PublicKey, nil
	}
	return nil, fmt.Errorf("a PEM block of type %q is not a public key", block.Type)
}

func publicKey(key any) (verifyKey, error) {
	switch k := key.(type) {
	case *rsa.PublicKey:
		if bits := k.N.BitLen(); bits < minRSABits || bits > maxRSABits {
			return verifyKey{}, fmt.Errorf("an RSA key of %d bits is not accepted; use %d to %d", bits, minRSABits, maxRSABits)
		}
		if k.E < 3 || k.E%2 == 0 {
			return verifyKey{}, errors.New("the RSA key has a wrong exponent")
		}
		return verifyKey{alg: algRS256, key: k}, nil
	case ed25519.PublicKey:
		return verifyKey{alg: algEdDSA, key: k}, nil
	}
	return verifyKey{}, fmt.Errorf("a key of type %T is not accepted; use RSA or Ed25519", key)
}

type jwk struct {
	Kty string `json:"kty"`
	Kid string `json:"kid"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	Crv string `json:"crv"`
	N   string `json:"n"`
	E   string `json:"e"`
	X   string `json:"x"`
}

// parseJWKS reads a JSON Web Key Set. Keys of a kind we have no use for are
// passed over, as every provider lists some; symmetric ones are among these.
func parseJWKS(data []byte) (keySet, error) {
	var doc struct {
		Keys []jwk `json:"keys"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("it is not a JSON Web Key Set: %w", err)
	}
	var set keySet
	var last error
	for _, j := range doc.Keys {
		k, err := j.verifyKey()
		if err != nil {
			last = err
			continue
		}
		set = append(set, k)
	}
	if len(set) == 0 && last != nil {
		return nil, fmt.Errorf("no usable key in the set: %w", last)
	}
	return set, checkCount(set, "no usable key in the set")
}

func checkCount(set keySet, none string) error {
	switch {
	case len(set) == 0:
		return errors.New(none)
	case len(set) > maxKeysInSet:
		return fmt.Errorf("it holds %d keys; at most %d are accepted", len(set), maxKeysInSet)
	}
	return nil
}

func (j jwk) verifyKey() (verifyKey, error) {
	key, err := j.public()
	if err != nil {
		return verifyKey{}, err
	}
	k, err := publicKey(key)
	if err != nil {
		return verifyKey{}, err
	}
	if j.Use != "" && j.Use != "sig" || j.Alg != "" && j.Alg != k.alg {
		return verifyKey{}, fmt.Errorf("a key with use %q and alg %q does not check signatures of %s", j.Use, j.Alg, k.alg)
	}
	k.kid = j.Kid
	return k, nil
}

func (j jwk) public() (any, error) {
	decode := base64.RawURLEncoding.DecodeString
	switch {
	case j.Kty == "RSA":
		n, errN := decode(j.N)
		e, errE := decode(j.E)
		if errN != nil || errE != nil || len(n) > maxRSABits/8+1 || len(e) > 4 {
			return nil, errors.New("an RSA key has a wrong n or e")
		}
		return &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}, nil
	case j.Kty == "OKP" && j.Crv == "Ed25519":
		x, err := decode(j.X)
		if err != nil || len(x) != ed25519.PublicKeySize {
			return nil, errors.New("an Ed25519 key has a wrong x")
		}
		return ed25519.PublicKey(x), nil
	}
	return nil, fmt.Errorf("a key of kind %q is not accepted", j.Kty)
}
