import "./jquery.js"
import "jquery-ui/dist/jquery-ui.js"
import "jquery-ui/dist/themes/base/jquery-ui.css"
app.innerHTML = `<div id=tabs><ul><li><a href="#one">Orders</a><li><a href="#two">Returns</a></ul><div id=one>No orders</div><div id=two>No returns</div></div>
<label for=amount>Amount</label><input id=amount value=3><label for=city>City</label><input id=city>
<button id=open>Cancel order</button><div id=dialog title="Cancel order?">Really?</div>
<div id=acc><h3>Delivery</h3><div>Two days</div><h3>Payment</h3><div>By card</div></div>`
jQuery("#tabs").tabs(); jQuery("#amount").spinner(); jQuery("#city").autocomplete({ source: ["Bern", "Berlin", "Oslo"], delay: 0 })
jQuery("#acc").accordion({ animate: false, heightStyle: "content" })
jQuery("#dialog").dialog({ autoOpen: false, buttons: { Yes() { window.yes = true; jQuery(this).dialog("close") } } })
open.onclick = null
document.getElementById("open").onclick = () => jQuery("#dialog").dialog("open")
window.state = () => ({ tab: jQuery("#tabs").tabs("option", "active"), amount: +jQuery("#amount").spinner("value"), city: city.value, canceled: !!window.yes, section: jQuery("#acc").accordion("option", "active") })
