// Package auth answers who is calling, what they may do, and how often.
//
// An Authenticator turns credentials into an Identity; Allow holds an identity
// against one table of actions; a Limiter counts. Every door asks these three
// and decides nothing itself.
//
// It promises that a session a caller may not see is answered like one that
// does not exist, that no error or log line holds a token, and that a mistake
// in the auth file stops the start (or, later, leaves the file in force that
// was valid) instead of opening a door. It refuses tokens without an expiry,
// tokens of an algorithm that is not named in the file, and keys that the token
// itself brings along.
package auth
