import "@carbon/web-components/es/components/dropdown/index.js"
import "@carbon/web-components/es/components/toggle/index.js"
import "@carbon/web-components/es/components/accordion/index.js"
import "@carbon/web-components/es/components/tabs/index.js"
app.innerHTML = `<cds-dropdown title-text=Size label="Choose a size"><cds-dropdown-item value=s>Small</cds-dropdown-item><cds-dropdown-item value=l>Large</cds-dropdown-item></cds-dropdown>
<cds-toggle label-text="Mail me"></cds-toggle><cds-accordion><cds-accordion-item title=Delivery>Two days</cds-accordion-item></cds-accordion>
<cds-tabs value=orders><cds-tab value=orders>Orders</cds-tab><cds-tab value=returns>Returns</cds-tab></cds-tabs>`
const $ = (s) => document.querySelector(s)
window.state = () => ({ size: $("cds-dropdown").value, mail: !!$("cds-toggle").toggled, delivery: $("cds-accordion-item").open, tab: $("cds-tabs").value })
