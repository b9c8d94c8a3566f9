package axtree

import "github.com/wayfinder-engine/wayfinder/driver"

// A tag is an HTML or SVG element's name as a small number. Elements that no rule
// is about share tagOther.
type tag uint8

const (
	tagOther tag = iota
	tagA
	tagAddress
	tagArea
	tagAudio
	tagBody
	tagBr
	tagButton
	tagCanvas
	tagCaption
	tagCol
	tagColgroup
	tagDatalist
	tagDetails
	tagDialog
	tagDir
	tagDiv
	tagEmbed
	tagFieldset
	tagFooter
	tagForm
	tagFrame
	tagH1
	tagH2
	tagH3
	tagH4
	tagH5
	tagH6
	tagHead
	tagHeader
	tagHgroup
	tagHr
	tagHTML
	tagIframe
	tagImg
	tagInput
	tagLabel
	tagLegend
	tagLi
	tagMap
	tagMenu
	tagMeter
	tagNoscript
	tagObject
	tagOl
	tagOptgroup
	tagOption
	tagOutput
	tagP
	tagPre
	tagProgress
	tagRt
	tagRuby
	tagScript
	tagSelect
	tagSlot
	tagSpan
	tagStyle
	tagSummary
	tagTable
	tagTbody
	tagTd
	tagTemplate
	tagTextarea
	tagTfoot
	tagTh
	tagThead
	tagTitle
	tagTr
	tagUl
	tagVideo
	tagWbr

	// SVG.
	svgA
	svgDesc
	svgForeignObject
	svgG
	svgImage
	svgShape // path, rect, circle, ellipse, line, polyline, polygon
	svgStyle
	svgSVG
	svgSymbol
	svgText
	svgTitle
	svgUse

	tagCount
)

var htmlTags = map[string]tag{
	"a": tagA, "address": tagAddress, "area": tagArea, "audio": tagAudio, "body": tagBody, "br": tagBr, "button": tagButton,
	"canvas": tagCanvas, "caption": tagCaption, "col": tagCol, "colgroup": tagColgroup, "datalist": tagDatalist,
	"details": tagDetails, "dialog": tagDialog, "dir": tagDir, "div": tagDiv, "embed": tagEmbed, "fieldset": tagFieldset,
	"footer": tagFooter, "form": tagForm, "frame": tagFrame, "h1": tagH1, "h2": tagH2, "h3": tagH3, "h4": tagH4, "h5": tagH5,
	"h6": tagH6, "head": tagHead, "header": tagHeader, "hgroup": tagHgroup, "hr": tagHr, "html": tagHTML, "iframe": tagIframe,
	"img": tagImg, "input": tagInput, "label": tagLabel, "legend": tagLegend, "li": tagLi, "map": tagMap, "menu": tagMenu,
	"meter": tagMeter, "noscript": tagNoscript, "object": tagObject, "ol": tagOl, "optgroup": tagOptgroup, "option": tagOption,
	"output": tagOutput, "p": tagP, "pre": tagPre, "progress": tagProgress, "rt": tagRt, "ruby": tagRuby, "script": tagScript,
	"select": tagSelect, "slot": tagSlot, "span": tagSpan, "style": tagStyle, "summary": tagSummary, "table": tagTable,
	"tbody": tagTbody, "td": tagTd, "template": tagTemplate, "textarea": tagTextarea, "tfoot": tagTfoot, "th": tagTh,
	"thead": tagThead, "title": tagTitle, "tr": tagTr, "ul": tagUl, "video": tagVideo, "wbr": tagWbr, "fencedframe": tagIframe,
}

var svgTags = map[string]tag{
	"a": svgA, "desc": svgDesc, "foreignObject": svgForeignObject, "g": svgG, "image": svgImage, "style": svgStyle,
	"svg": svgSVG, "symbol": svgSymbol, "text": svgText, "title": svgTitle, "use": svgUse, "path": svgShape, "rect": svgShape,
	"circle": svgShape, "ellipse": svgShape, "line": svgShape, "polyline": svgShape, "polygon": svgShape,
}

func tagOf(n *driver.Node) tag {
	switch n.Namespace {
	case driver.HTML:
		return htmlTags[n.Name]
	case driver.SVG:
		return svgTags[n.Name]
	}
	return tagOther
}

// A tagSet is a set of tags.
type tagSet [4]uint64

func tagsOf(tags ...tag) (s tagSet) {
	for _, t := range tags {
		s[t>>6] |= 1 << (t & 63)
	}
	return s
}

func (s *tagSet) has(t tag) bool { return s[t>>6]&(1<<(t&63)) != 0 }
