package axtree

import "github.com/wayfinder-engine/wayfinder/driver"

// A tag is an HTML or SVG element's name as a small number. Elements that no rule
// is about share tagOther.
type tag uint8

const (
	tagOther tag = iota
	tagA
	tagAbbr
	tagAddress
	tagArea
	tagArticle
	tagAside
	tagAudio
	tagBlockquote
	tagBody
	tagBr
	tagButton
	tagCanvas
	tagCaption
	tagCode
	tagCol
	tagColgroup
	tagDatalist
	tagDd
	tagDel
	tagDetails
	tagDfn
	tagDialog
	tagDir
	tagDiv
	tagDl
	tagDt
	tagEm
	tagEmbed
	tagFieldset
	tagFigcaption
	tagFigure
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
	tagIns
	tagLabel
	tagLegend
	tagLi
	tagLink
	tagMain
	tagMap
	tagMark
	tagMenu
	tagMeter
	tagNav
	tagNoscript
	tagObject
	tagOl
	tagOptgroup
	tagOption
	tagOutput
	tagP
	tagPre
	tagProgress
	tagRp
	tagRt
	tagRuby
	tagS
	tagScript
	tagSearch
	tagSection
	tagSelect
	tagSlot
	tagSpan
	tagStrong
	tagStyle
	tagSub
	tagSummary
	tagSup
	tagTable
	tagTbody
	tagTd
	tagTemplate
	tagTextarea
	tagTfoot
	tagTh
	tagThead
	tagTime
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
	svgDefs

	tagCount
)

var htmlTags = map[string]tag{
	"a": tagA, "abbr": tagAbbr, "address": tagAddress, "area": tagArea, "article": tagArticle, "aside": tagAside, "audio": tagAudio,
	"blockquote": tagBlockquote, "body": tagBody, "br": tagBr, "button": tagButton, "canvas": tagCanvas, "caption": tagCaption,
	"code": tagCode, "col": tagCol, "colgroup": tagColgroup, "datalist": tagDatalist, "dd": tagDd, "del": tagDel,
	"details": tagDetails, "dfn": tagDfn, "dialog": tagDialog, "dir": tagDir, "div": tagDiv, "dl": tagDl, "dt": tagDt, "em": tagEm,
	"embed": tagEmbed, "fieldset": tagFieldset, "figcaption": tagFigcaption, "figure": tagFigure, "footer": tagFooter,
	"form": tagForm, "frame": tagFrame, "h1": tagH1, "h2": tagH2, "h3": tagH3, "h4": tagH4, "h5": tagH5, "h6": tagH6,
	"head": tagHead, "header": tagHeader, "hgroup": tagHgroup, "hr": tagHr, "html": tagHTML, "iframe": tagIframe, "img": tagImg,
	"input": tagInput, "ins": tagIns, "label": tagLabel, "legend": tagLegend, "li": tagLi, "link": tagLink, "main": tagMain,
	"map": tagMap, "mark": tagMark, "menu": tagMenu, "meter": tagMeter, "nav": tagNav, "noscript": tagNoscript,
	"object": tagObject, "ol": tagOl, "optgroup": tagOptgroup, "option": tagOption, "output": tagOutput, "p": tagP,
	"pre": tagPre, "progress": tagProgress, "rp": tagRp, "rt": tagRt, "ruby": tagRuby, "s": tagS, "script": tagScript,
	"search": tagSearch, "section": tagSection, "select": tagSelect, "slot": tagSlot, "span": tagSpan, "strong": tagStrong,
	"style": tagStyle, "sub": tagSub, "summary": tagSummary, "sup": tagSup, "table": tagTable, "tbody": tagTbody, "td": tagTd,
	"template": tagTemplate, "textarea": tagTextarea, "tfoot": tagTfoot, "th": tagTh, "thead": tagThead, "time": tagTime,
	"title": tagTitle, "tr": tagTr, "ul": tagUl, "video": tagVideo, "wbr": tagWbr, "fencedframe": tagIframe,
}

var svgTags = map[string]tag{
	"a": svgA, "desc": svgDesc, "foreignObject": svgForeignObject, "g": svgG, "image": svgImage, "style": svgStyle,
	"svg": svgSVG, "symbol": svgSymbol, "text": svgText, "title": svgTitle, "use": svgUse, "defs": svgDefs,
	"path": svgShape, "rect": svgShape, "circle": svgShape, "ellipse": svgShape, "line": svgShape, "polyline": svgShape,
	"polygon": svgShape,
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
