// Package demo is a small shop on the web: the site that "wayfinder demo" and
// the examples work on.
//
// A [Shop] is an http.Handler that needs nothing but memory. It sells nine
// things for people who like to find their way, and it holds, in few pages,
// what makes real sites hard to use for a program: a search, lists of cards,
// tables and definition lists, a form with every kind of control, a form in a
// frame, controls in open and in closed shadow trees, and a question in a
// dialog that lies over the page.
//
// It works without script, wholly, so that it is the same shop in a browser
// that runs none. Each visitor has a cart of his own, told apart by a cookie.
// What was ordered can be asked for with Orders: a program that claims to have
// bought something is checked against what arrived.
package demo
