import "bootstrap/dist/js/bootstrap.bundle.js"
import "bootstrap/dist/css/bootstrap.css"
app.innerHTML = `<div class=dropdown><button class="btn dropdown-toggle" data-bs-toggle=dropdown>Actions</button><ul class=dropdown-menu><li><button class=dropdown-item onclick="done='archived'">Archive</button><li><button class=dropdown-item onclick="done='deleted'">Delete</button></ul></div>
<button class=btn data-bs-toggle=modal data-bs-target="#m">New order</button>
<div class="modal fade" id=m tabindex=-1 aria-labelledby=mt><div class=modal-dialog><div class=modal-content><h5 id=mt>New order</h5><label>Thing <input id=thing></label><button onclick="done='ordered '+thing.value" data-bs-dismiss=modal>Order</button><button class=btn-close data-bs-dismiss=modal aria-label=Close></button></div></div></div>
<div class="form-check form-switch"><input class=form-check-input type=checkbox role=switch id=mail><label for=mail>Mail me</label></div>
<button data-bs-toggle=collapse data-bs-target="#more" aria-expanded=false aria-controls=more>Details</button><div class=collapse id=more>All of it</div>`
window.done = ""
let closed = 0
m.addEventListener("hidden.bs.modal", () => closed++)
window.state = () => ({ done, closed, mail: mail.checked, details: more.classList.contains("show") || more.classList.contains("collapsing") })
